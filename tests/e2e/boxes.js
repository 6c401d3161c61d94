// Checks whether a screen fits, using the boxes that the browser computed instead of pixels.
import { expect } from "./fixtures.js";

// Nothing that can be read or pressed may extend beyond the window, and no two such elements may overlap.
export async function fits(page, name) {
  const problems = await page.evaluate(() => {
    const found = [];
    const { clientWidth } = document.documentElement;
    if (document.documentElement.scrollWidth > clientWidth) found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} in ${clientWidth}`);
    const dialog = document.querySelector("dialog[open]");
    const root = dialog ?? document.body;
    const isShown = (element) => {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      return box.width > 2 && box.height > 2 && style.visibility !== "hidden" && !element.closest(".unseen, .skip, .notice, .segments, .carried");
    };
    const label = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} "${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 24)}"`;
    const shown = [...root.querySelectorAll("button, input, select, h1, h2, .plate, .status, .fact, .side, .split-side, .stake, .played, .count, .call, .held .mini, .who b")].filter(isShown);
    const inside = (outer, inner) => outer !== inner && outer.contains(inner);
    // The content of a scrolling container may extend beyond its edge.
    const clipped = (element) => {
      const box = element.getBoundingClientRect();
      let { left, right, top, bottom } = box;
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (getComputedStyle(parent).overflowY === "visible") continue;
        const edge = parent.getBoundingClientRect();
        [left, right, top, bottom] = [Math.max(left, edge.left), Math.min(right, edge.right), Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
      }
      return { left, right, top, bottom };
    };
    const boxes = shown.map((element) => ({ element, ...clipped(element) }));
    for (const { element, left, right } of boxes) {
      if (left < -1 || right > clientWidth + 1) found.push(`${label(element)} sticks out: ${left} to ${right} of ${clientWidth}`);
    }
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        if (inside(one.element, other.element) || inside(other.element, one.element)) continue;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 3 && high > 3) found.push(`${label(one.element)} and ${label(other.element)} overlap by ${wide.toFixed()} x ${high.toFixed()}`);
      }
    }
    return found;
  });
  expect(problems, `${name}: everything must fit`).toEqual([]);
}

// An element can be pressed without scrolling: it lies entirely within the window and all its scrolling containers.
export async function inSight(page, selector, name) {
  const hidden = await page.locator(selector).evaluate((element) => {
    const box = element.getBoundingClientRect();
    const edges = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
    for (let parent = element.parentElement; parent; parent = parent.parentElement) {
      if (getComputedStyle(parent).overflowY !== "visible") edges.push(parent.getBoundingClientRect());
    }
    return Math.max(...edges.flatMap(({ left, top, right, bottom }) => [left - box.left, top - box.top, box.right - right, box.bottom - bottom]));
  });
  expect(hidden, `${name}: hidden pixels of ${selector}`).toBeLessThan(1);
}

// Contrast of text against its background, computed here because the page's security policy keeps axe from doing it.
export async function contrasts(page, name) {
  const problems = await page.evaluate(() => {
    const parse = (text) => {
      const parts = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      const scale = text.startsWith("color(") ? 255 : 1;
      return { r: parts[0] * scale, g: parts[1] * scale, b: parts[2] * scale, a: parts[3] ?? 1 };
    };
    const over = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
    const light = ({ r, g, b }) => {
      const part = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    // The possible backgrounds of an element: every color of a gradient counts, and the worst decides.
    const grounds = (element) => {
      let layers = [];
      for (let at = element; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        const colours = style.backgroundImage.match(/(rgba?|color)\([^)]*\)/g)?.map(parse).filter(({ a }) => a > 0.5);
        if (colours?.length && style.backgroundImage.includes("gradient")) return colours.map((base) => layers.reduceRight((under, top) => over(top, under), base));
        const colour = parse(style.backgroundColor);
        if (colour.a > 0) layers.push(colour);
        if (colour.a === 1) break;
      }
      const base = layers.pop() ?? { r: 255, g: 255, b: 255, a: 1 };
      return [layers.reduceRight((under, top) => over(top, under), base)];
    };
    const found = [];
    const walker = document.createTreeWalker(document.querySelector("dialog[open]") ?? document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest(".unseen, .skip, .notice:not(.on), noscript, svg, option, .seat.out, .own.out")) continue;
      const box = element.getBoundingClientRect();
      if (!box.width || getComputedStyle(element).visibility === "hidden") continue;
      const style = getComputedStyle(element);
      const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
      for (const ground of grounds(element)) {
        const [a, b] = [light(over(parse(style.color), ground)), light(ground)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < (isLarge ? 3 : 4.5)) { found.push(`"${node.textContent.trim().slice(0, 24)}" in ${element.className}: ${ratio.toFixed(2)}`); break; }
      }
    }
    return [...new Set(found)];
  });
  expect(problems, `${name}: text must have enough contrast`).toEqual([]);
}
