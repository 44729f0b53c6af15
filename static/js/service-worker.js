/* The service worker of the installed app. `APP` comes before this text (installed_app.py): the version, the files of the
   shell, and the page without a line.

   It keeps files of /static/ and that one page. An act, a page of a table and a snapshot always come from the server: this
   answers none of them. The network comes first; a kept file answers only when there is no line, and only while no newer
   build waits, so that files of two builds never meet on one page. The page without a line always gets the files that came
   with it. A new build takes over when a page says so, and a console says so between rounds (kiosk.js). */

const NAME = "pitside-";
const CACHE = `${NAME}${APP.version}`;
const withoutLine = new Set();  // the pages that got the page without a line

addEventListener("install", (event) => event.waitUntil((async () => {
  const cache = await caches.open(CACHE);
  await cache.addAll([...APP.shell, APP.page].map((url) => new Request(url, { cache: "reload", credentials: "omit" })));
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  const others = (await caches.keys()).filter((key) => key.startsWith(NAME) && key !== CACHE);
  await Promise.all(others.map((key) => caches.delete(key)));
  await clients.claim();
})()));

addEventListener("message", ({ data }) => {
  if (data === "take-over") skipWaiting();
});

async function answerFile(request, isWithoutLine) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200 && response.type === "basic") cache.put(request, response.clone());
    return response;
  } catch (error) {
    const stored = registration.waiting && !isWithoutLine ? undefined : await cache.match(request);
    if (stored) return stored;
    throw error;
  }
}

async function answerPage(request, client) {
  try {
    return await fetch(request);
  } catch (error) {
    const page = await (await caches.open(CACHE)).match(APP.page);
    if (!page) throw error;
    withoutLine.add(client);
    return page;
  }
}

addEventListener("fetch", (event) => {
  const { request, clientId, resultingClientId } = event, url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(APP.files)) event.respondWith(answerFile(request, withoutLine.has(clientId)));
  else if (request.mode === "navigate") event.respondWith(answerPage(request, resultingClientId));
});
