// Collects every text that a page shows or announces: text nodes, accessible names and descriptions, questions, and copied texts.
// In the pseudo-locale (`?lang=en-XA`) the catalogue has no ASCII letters, so a text that contains one does not come from the
// catalogue.
import { expect } from "./fixtures.js";

// Texts that are the same in every language.
const PEOPLE = ["Ann", "Bob", "Cora", "Dev", "Maria", "Wes"];
const BOTS = ["Ruby", "Otis", "Hazel", "Walt"];
// Each language is listed by its native name.
const LANGUAGES = ["English", "Español"];
// A single letter is the initial of a name, and six consonants are the code of a lobby.
const ALLOWED = `(${[...PEOPLE, ...BOTS, ...LANGUAGES].join("|")})(?!\\w)|^[A-Z]$|\\b[B-DF-HJ-NP-TV-XZ]{3} [B-DF-HJ-NP-TV-XZ]{3}\\b|https?://\\S+`;
const SKIPPED = [
  // There is no catalogue before the module has started, and none without scripts.
  "head", "#hello", "noscript",
  // Letters that are measured off screen and hidden from screen readers.
  ".warm",
  // Commitments, secrets, and layer parameters as JSON.
  "code",
  // For developers: messages, view and actions in wire format, layer names, and rulings with their cases, which the table sends
  // as English text (docs/adr/0019-reasons-as-data.md).
  "dialog pre", ".log", ".layers > li > b", ".layers ul",
].join();

// Runs in every page before its scripts.
function watch(allowed, skipped) {
  // A blank page shows nothing.
  if (location.protocol === "about:") return;
  const names = ["alt", "aria-description", "aria-label", "aria-placeholder", "aria-roledescription", "aria-valuetext", "label", "placeholder", "title"];
  const reported = new Set();
  const report = (where, text) => {
    if (!/[a-z]/i.test(text.replace(new RegExp(allowed, "g"), "")) || reported.has(where + text)) return;
    reported.add(where + text);
    window.reportPlain(`${where}: ${text.trim()}`);
  };
  const readAttribute = (element, name) => element.hasAttribute(name) && report(`${name} of ${element.localName}.${element.classList}`, element.getAttribute(name));
  const read = (node) => {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!node.isConnected || !element?.closest || element.closest(skipped)) return;
    if (node !== element) return report(`${element.localName}.${element.className}`, node.data);
    for (const name of names) readAttribute(element, name);
    node.childNodes.forEach(read);
  };
  new MutationObserver((changes) => changes.forEach(({ type, target, attributeName, addedNodes }) => {
    if (type === "childList") addedNodes.forEach(read);
    else if (type === "characterData") read(target);
    else if (!target.closest(skipped)) readAttribute(target, attributeName);
  })).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: names });
  window.confirm = (question) => {
    report("question", question);
    return true;
  };
  navigator.clipboard.writeText = async (text) => {
    report("copied", text);
    window.copied = text;
  };
}

// Watches a person's pages. Returns a list that grows with every plain text.
export async function watchTexts(page) {
  const plain = [];
  await page.context().exposeBinding("reportPlain", (_, text) => void plain.push(text));
  await page.context().addInitScript({ content: `(${watch})(${JSON.stringify(ALLOWED)}, ${JSON.stringify(SKIPPED)})` });
  return plain;
}

// Letters in the `content` properties of the style sheets.
const styled = () => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).flatMap((rule) => rule.cssText.match(/content: "[^"]*[a-z][^"]*"/gi) ?? []);

// Expects that every text so far comes from the catalogue.
export async function expectNoPlainText(page, plain, name) {
  await expect(page.locator("body"), `${name}: the page must be in the pseudo-locale`).toContainText("⟦");
  await expect(page.locator("html")).toHaveAttribute("lang", "en-XA");
  await expect(page, `${name}: the document title must come from the catalogue`).toHaveTitle(/^[^a-z]+$/i);
  expect(await page.evaluate(styled), `${name}: the style sheets must not contain words`).toEqual([]);
  expect(plain, `${name}: every text must come from the catalogue`).toEqual([]);
}
