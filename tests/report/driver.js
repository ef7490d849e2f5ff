// What the test's hand does in the page: it clicks, types and reads, and leaves what it saw on the document.
const all = (what) => [...document.querySelectorAll(what)];
const one = (what) => document.querySelector(what);
const click = (what) => one(what).click();
const say = (what) => all(what).map((each) => each.textContent);
const key = (what, name) => what.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
const pick = (id, value) => {
  const field = document.getElementById(id);
  field.value = value;
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));
};
setTimeout(() => {
  let seen;
  try {
    seen = (() => { SCRIPT })();
  } catch (error) {
    seen = String(error);
  }
  document.documentElement.setAttribute('data-seen', JSON.stringify(seen));
}, 50);
