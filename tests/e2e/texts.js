// Every text that a page shows or says, from its first moment to its last: text nodes, names and descriptions for screen readers,
// questions, and what is copied. In the pseudo-locale (`?lang=en-XA`) the catalogue has no plain letter, so a text with one does
// not come from the catalogue.
import { expect } from "./fixtures.js";

// What is no text of the page, and stays as it is in every language.
const PEOPLE = ["Ann", "Bob", "Cora", "Dev", "Maria", "Wes"];
const BOTS = ["Ruby", "Otis", "Hazel", "Walt"];
// Each language is offered by its own name.
const LANGUAGES = ["English", "Español"];
// A single letter is the first one of a name.
const ALLOWED = `(${[...PEOPLE, ...BOTS, ...LANGUAGES].join("|")})(?!\\w)|^[A-Z]$|https?://\\S+`;
const SKIPPED = [
  // There is no catalogue before the module has started, and none at all without scripts.
  "head", "#hello", "noscript",
  // Letters that are measured out of sight, and hidden from screen readers.
  ".warm",
  // Fingerprints, secrets, and the parameters of layers as JSON.
  "code",
  // For developers: messages, the view and actions as they are on the wire, layers by the names that they have there, and rulings
  // and their cases, which the table sends as English text (docs/adr/0019-reasons-as-data.md).
  "dialog pre", ".log", ".layers > li > b", ".layers ul",
].join();

// Runs in every page before its own scripts.
function watch(allowed, skipped) {
  // An empty page shows nothing.
  if (location.protocol === "about:") return;
  const names = ["alt", "aria-description", "aria-label", "aria-placeholder", "aria-roledescription", "aria-valuetext", "label", "placeholder", "title"];
  const told = new Set();
  const tell = (where, text) => {
    if (!/[a-z]/i.test(text.replace(new RegExp(allowed, "g"), "")) || told.has(where + text)) return;
    told.add(where + text);
    window.tellPlain(`${where}: ${text.trim()}`);
  };
  const readAttribute = (element, name) => element.hasAttribute(name) && tell(`${name} of ${element.localName}.${element.classList}`, element.getAttribute(name));
  const read = (node) => {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!node.isConnected || !element?.closest || element.closest(skipped)) return;
    if (node !== element) return tell(`${element.localName}.${element.className}`, node.data);
    for (const name of names) readAttribute(element, name);
    node.childNodes.forEach(read);
  };
  new MutationObserver((changes) => changes.forEach(({ type, target, attributeName, addedNodes }) => {
    if (type === "childList") addedNodes.forEach(read);
    else if (type === "characterData") read(target);
    else if (!target.closest(skipped)) readAttribute(target, attributeName);
  })).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: names });
  window.confirm = (question) => {
    tell("question", question);
    return true;
  };
  navigator.clipboard.writeText = async (text) => {
    tell("copied", text);
    window.copied = text;
  };
}

// Watches a person's pages. The list that it gives grows with every plain text.
export async function watchTexts(page) {
  const plain = [];
  await page.context().exposeBinding("tellPlain", (_, text) => void plain.push(text));
  await page.context().addInitScript({ content: `(${watch})(${JSON.stringify(ALLOWED)}, ${JSON.stringify(SKIPPED)})` });
  return plain;
}

// Letters that the style draws, which are in no document.
const styled = () => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).flatMap((rule) => rule.cssText.match(/content: "[^"]*[a-z][^"]*"/gi) ?? []);

// What is shown now comes from the catalogue, and so does everything before.
export async function expectNoPlainText(page, plain, name) {
  await expect(page.locator("body"), `${name}: the page is in the pseudo-locale`).toContainText("⟦");
  await expect(page.locator("html")).toHaveAttribute("lang", "en-XA");
  await expect(page, `${name}: the title of the document`).toHaveTitle(/^[^a-z]+$/i);
  expect(await page.evaluate(styled), `${name}: the style adds no words`).toEqual([]);
  expect(plain, `${name}: every text comes from the catalogue`).toEqual([]);
}
