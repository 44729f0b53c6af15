/* How this device shows the console to everyone who signs in: text, contrast, hand and brightness. The choices are stored on
   the device and become attributes of the root element (console-device.css). */

const STORAGE_KEY = "pitside.device";
const SETTINGS = { text: ["large", "largest"], contrast: ["high"], hand: ["left"], light: ["dim", "dark"] };

function load() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

export class DeviceSettings {
  constructor(root = document) {
    this.root = root;
    this.values = load();
    root.addEventListener("click", ({ target }) => {
      const button = target.closest?.("[data-setting]");
      if (button) this.set(button.dataset.setting, button.dataset.value);
    });
    this.paint();
  }

  set(name, value) {
    this.values = { ...this.values, [name]: value };
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.values));
    } catch { /* full or forbidden: it holds until the page ends */ }
    this.paint();
  }

  paint() {
    const { dataset } = document.documentElement;
    for (const [name, values] of Object.entries(SETTINGS)) {
      if (values.includes(this.values[name])) dataset[name] = this.values[name];
      else delete dataset[name];
    }
    for (const button of this.root.querySelectorAll("[data-setting]"))
      button.setAttribute("aria-pressed", (dataset[button.dataset.setting] ?? "") === button.dataset.value);
  }
}
