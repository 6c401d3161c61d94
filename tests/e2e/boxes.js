// Checks whether a screen fits, using the boxes that the browser computed instead of pixels.
import { expect } from "./fixtures.js";

// Expects that no element to read or press extends beyond the window or overlaps another.
export async function expectFits(page, name) {
  const problems = await page.evaluate(() => {
    const found = [];
    const { clientWidth } = document.documentElement;
    if (document.documentElement.scrollWidth > clientWidth) found.push(`the page scrolls sideways: ${document.documentElement.scrollWidth} in ${clientWidth}`);
    const dialog = document.querySelector("dialog[open]");
    const root = dialog ?? document.body;
    const isShown = (element) => {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      // What a closed <details> contains has a box, too.
      return box.width > 2 && box.height > 2 && style.visibility !== "hidden" && element.checkVisibility() && !element.closest(".unseen, .skip, .notice, .segments, .carried");
    };
    const label = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} "${(element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 24)}"`;
    const visible = [...root.querySelectorAll("button, input, select, h1, h2, .plate, .status, .fact, .side, .gain, .lead, .played, .count, .call, .held .mini, .who b")].filter(isShown);
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
    const boxes = visible.map((element) => ({ element, ...clipped(element) }));
    for (const { element, left, right } of boxes) {
      if (left < -1 || right > clientWidth + 1) found.push(`${label(element)} sticks out: ${left} to ${right} of ${clientWidth}`);
    }
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) {
        if (inside(one.element, other.element) || inside(other.element, one.element)) continue;
        const overlapWidth = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const overlapHeight = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (overlapWidth > 3 && overlapHeight > 3) found.push(`${label(one.element)} and ${label(other.element)} overlap by ${overlapWidth.toFixed()} x ${overlapHeight.toFixed()}`);
      }
    }
    return found;
  });
  expect(problems, `${name}: everything must fit`).toEqual([]);
}

// Expects that an element can be pressed without scrolling: it lies entirely within the window and all its scrolling containers.
export async function expectInView(page, selector, name) {
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

// Expects enough contrast between text and background. It is computed here because the page's security policy keeps axe from doing it.
export async function expectContrast(page, name) {
  const problems = await page.evaluate(() => {
    const parse = (text) => {
      const parts = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      const scale = text.startsWith("color(") ? 255 : 1;
      return { r: parts[0] * scale, g: parts[1] * scale, b: parts[2] * scale, a: parts[3] ?? 1 };
    };
    const blend = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
    const luminance = ({ r, g, b }) => {
      const linear = (value) => ((value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    };
    // The possible backgrounds of an element: every color of a gradient counts, and the worst decides.
    const backgrounds = (element) => {
      let layers = [];
      for (let at = element; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        const colors = style.backgroundImage.match(/(rgba?|color)\([^)]*\)/g)?.map(parse).filter(({ a }) => a > 0.5);
        if (colors?.length && style.backgroundImage.includes("gradient")) return colors.map((base) => layers.reduceRight((under, top) => blend(top, under), base));
        const color = parse(style.backgroundColor);
        if (color.a > 0) layers.push(color);
        if (color.a === 1) break;
      }
      const base = layers.pop() ?? { r: 255, g: 255, b: 255, a: 1 };
      return [layers.reduceRight((under, top) => blend(top, under), base)];
    };
    const found = [];
    const root = document.querySelector("dialog[open]") ?? document.body;
    const check = (text, element, style, least) => {
      for (const background of backgrounds(element)) {
        const [a, b] = [luminance(blend(parse(style.color), background)), luminance(background)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < least) return found.push(`"${text.trim().slice(0, 24)}" in ${element.className}: ${ratio.toFixed(2)}`);
      }
    };
    for (const input of root.querySelectorAll("[placeholder]")) {
      const style = getComputedStyle(input, "::placeholder");
      if (style.opacity !== "1") found.push(`"${input.placeholder}" is transparent`);
      check(input.placeholder, input, style, 4.5);
    }
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || element.closest(".unseen, .skip, .notice:not(.on), noscript, svg, option, .seat.out, .own.out")) continue;
      const box = element.getBoundingClientRect();
      if (!box.width || getComputedStyle(element).visibility === "hidden") continue;
      const style = getComputedStyle(element);
      const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
      check(node.textContent, element, style, isLarge ? 3 : 4.5);
    }
    return [...new Set(found)];
  });
  expect(problems, `${name}: text must have enough contrast`).toEqual([]);
}

// Expects that screen readers know every live region before it has content: one that is not rendered is not in the accessibility
// tree. The content of a closed dialog or a closed disclosure appears with it.
export async function expectRegionsRendered(page, name) {
  const missing = await page.evaluate(() => {
    const regions = [...document.querySelectorAll("[role=status], [role=alert], [role=log]")];
    const isMissing = (region) => !region.closest("dialog:not([open]), details:not([open])") && !region.checkVisibility({ visibilityProperty: true });
    return regions.filter(isMissing).map((region) => region.outerHTML.slice(0, 120));
  });
  expect(missing, `${name}: every live region must be rendered before its content`).toEqual([]);
}

// The smallest text in pixels, and the smallest sides of what one presses: on a phone by a thumb, elsewhere also with a zoomed page.
const [TEXT, THUMB, POINTER] = [12, 44, 24];

// Expects no text that is too small, no target that is hard to press, and no two controls with the same name.
export async function expectLegible(page, name) {
  const problems = await page.evaluate(([smallest, thumb, pointer]) => {
    const root = document.querySelector("dialog[open]") ?? document.body;
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".unseen, .skip, .notice:not(.on), noscript");
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const size = parseFloat(getComputedStyle(node.parentElement).fontSize);
      // The size 0 hides a text whose sign is drawn instead.
      if (node.textContent.trim() && size > 0 && size < smallest && isShown(node.parentElement)) found.push(`"${node.textContent.trim().slice(0, 24)}" has ${size} px`);
    }
    const least = matchMedia("(pointer: coarse)").matches ? thumb : pointer;
    const controls = [...root.querySelectorAll("button, input, select, summary")].filter(isShown);
    for (const control of controls) {
      const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
      if (width > 2 && Math.min(width, height) < least - 0.5) found.push(`${control.outerHTML.slice(0, 70)} is ${width.toFixed()} x ${height.toFixed()}`);
    }
    // A radio button is known by its group too.
    const nameOf = (control) => {
      const label = control.labels?.[0]?.cloneNode(true);
      label?.querySelectorAll("select").forEach((list) => list.remove());
      const group = control.type === "radio" ? control.closest("fieldset")?.querySelector("legend")?.textContent : "";
      const own = control.getAttribute("aria-label") ?? document.getElementById(control.getAttribute("aria-labelledby"))?.textContent ?? label?.textContent ?? control.textContent;
      return `${group ?? ""} ${own}`.trim();
    };
    for (const kind of [controls, [...root.querySelectorAll("[role=group]")].filter(isShown)]) {
      const names = kind.map(nameOf);
      for (const [at, label] of names.entries()) {
        if (!label) found.push(`${kind[at].outerHTML.slice(0, 70)} has no name`);
        else if (names.indexOf(label) !== at) found.push(`two controls are called "${label}"`);
      }
    }
    return [...new Set(found)];
  }, [TEXT, THUMB, POINTER]);
  expect(problems, `${name}: everything must be legible and easy to press`).toEqual([]);
}
