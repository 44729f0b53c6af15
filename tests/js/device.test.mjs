import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { DeviceSettings } from "../../static/js/device.js";
import { FakeElement, installBrowser } from "./browser.mjs";

let document;

beforeEach(() => { ({ document } = installBrowser()); });

test("a setting belongs to the device: the next page begins with it", () => {
  new DeviceSettings(new FakeElement()).set("hand", "left");
  delete document.documentElement.dataset.hand;
  assert.equal(new DeviceSettings(new FakeElement()).values.hand, "left");
  assert.equal(document.documentElement.dataset.hand, "left");
});

test("a setting that is put back, or that nobody knows, leaves the page as it is", () => {
  localStorage.setItem("pitside.device", JSON.stringify({ contrast: "garish", light: "dim" }));
  new DeviceSettings(new FakeElement()).set("light", "");
  const { contrast, light } = document.documentElement.dataset;
  assert.deepEqual([contrast, light], [undefined, undefined]);
});

test("storage that cannot be read counts as empty", () => {
  localStorage.setItem("pitside.device", "{");
  assert.deepEqual(new DeviceSettings(new FakeElement()).values, {});
});
