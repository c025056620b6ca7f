// The worker that keeps what a reader has visited for when there is no connection. It serves both languages, from the site's root.
//
// The network comes first: online, a reader always gets what is deployed, so that no stale page survives an update or a rollback.
// What came is kept in a cache that carries this build's version. A new build (newer or older) brings another version: its worker fetches
// again what the reader had kept, drops what is gone, and only when all of it is there takes over and deletes the older cache.
"use strict";
const PREFIX = `pytorch-interview:${new URL("./", location.href).pathname}:`;
{%- if offline %}
const VERSION = "{{ version }}";
const ROOT = new URL("./", location.href).href;
const CACHE = PREFIX + VERSION;
const FILES = ROOT + "offline-files.json";
const WHOLE = ROOT + "offline-whole";  // stands in the cache where the reader keeps the whole site
const AT_ONCE = 6;

// One entry a file: without the query, by which Sphinx tells versions of a file apart, and a folder as its index.
const name = (address) => {
  const url = new URL(address);
  url.search = url.hash = "";
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  return url.href;
};
const isOurs = (address) => address.startsWith(ROOT) && ![FILES, WHOLE, ROOT + "sw.js"].includes(name(address));
const isSound = (response) => response.ok && response.type === "basic" && !response.redirected;
const olderCaches = async () => (await caches.keys()).filter((key) => key.startsWith(PREFIX) && key !== CACHE);

// This version's cache, or null where it has been deleted: by a newer version, or by the reader. A worker on its way out must not revive it.
const current = async () => await caches.has(CACHE) ? caches.open(CACHE) : null;

// Work through a list, a few at a time, until one fails.
const forEach = async (list, work) => {
  const rest = [...list];
  await Promise.all(Array.from({length: AT_ONCE}, async () => {
    try {
      while (rest.length) await work(rest.shift());
    } catch (error) {
      rest.length = 0;
      throw error;
    }
  }));
};

const fetchFiles = async () => {
  const response = await fetch(FILES, {cache: "no-cache"});
  if (!response.ok) throw new Error(`${FILES}: ${response.status}`);
  return Object.keys((await response.json()).files).map((path) => ROOT + path);
};

const keep = async (cache, address, options) => {
  const response = await fetch(address, options);
  if (isSound(response)) await cache.put(name(address), response);
  return response;
};

// Fetch again, in this version, what the versions before have kept. Where the connection breaks it fails, and the older worker stays.
const renew = async () => {
  const cache = await caches.open(CACHE);
  for (const old of await Promise.all((await olderCaches()).map((key) => caches.open(key)))) {
    let wanted = (await old.keys()).map((request) => request.url).filter(isOurs);
    if (await old.match(WHOLE)) {
      wanted = [...new Set([...wanted, ...await fetchFiles()])];
      await cache.put(WHOLE, new Response(""));
    }
    await forEach(wanted, async (address) => {
      // Unchanged files cost a question to the server and no transfer.
      const response = await keep(cache, address, {cache: "no-cache"});
      if (response.status < 500) return;
      const kept = await old.match(address);
      if (kept) await cache.put(address, kept);
    });
  }
};

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(renew());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const key of await olderCaches()) await caches.delete(key);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const {request} = event;
  if (request.method !== "GET" || request.headers.has("range") || !isOurs(request.url)) return;
  event.respondWith(answer(event));
});

const answer = async (event) => {
  const {request} = event;
  const kept = async () => (await current())?.match(name(request.url));
  let response;
  try {
    // A page is asked for again even where the browser's own cache thinks it fresh: the network comes first.
    response = request.mode === "navigate"
      ? await fetch(request.url, {cache: "no-cache", credentials: "same-origin", redirect: "manual"})
      : await fetch(request);
  } catch (error) {
    const found = await kept();
    if (found) return found;
    if (request.mode === "navigate") return sorry();
    throw error;
  }
  if (response.status >= 500) return await kept() ?? response;
  if (isSound(response)) {
    const copy = response.clone();
    event.waitUntil(current().then((cache) => cache?.put(name(request.url), copy)));
  }
  return response;
};

// What a reader sees where a page was never visited: what there is instead, in both languages.
const sorry = async () => {
  const cache = await current(), lists = {en: [], zh_CN: []};
  for (const {url} of await cache?.keys() ?? []) {
    const language = url.slice(ROOT.length).match(/^(en|zh_CN)\/.*\.html$/)?.[1];
    if (!language) continue;
    const title = (await (await cache.match(url)).text()).match(/<title>([^<]*)<\/title>/)?.[1] ?? url;
    lists[language].push(`<li><a href="${url}">${title.replace(/ - [^-]*$/, "")}</a></li>`);
  }
  const section = (tag, heading, list) => `<section lang="${tag}"><p>${heading}</p><ul>${list.join("")}</ul></section>`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Offline · 离线</title>
<style>body { font: 1.125rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }</style>
<main><h1>Offline · 离线</h1>
${section("en", "There is no connection, and this page is not kept here. These are:", lists.en)}
${section("zh-CN", "没有网络连接，这个页面也没有保存过。可以离线阅读的有：", lists.zh_CN)}</main></html>`;
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return new Response(html, {status: 503, headers: {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy}});
};

// The page asks: keep these; keep everything; begin again after a removal. It is answered through the port that it sends along.
self.addEventListener("message", (event) => {
  const {keep: addresses, whole, again} = event.data, [port] = event.ports;
  event.waitUntil((async () => {
    const cache = again ? await caches.open(CACHE) : await current();
    if (!cache) return port.postMessage({done: true});
    // They were just loaded, so the browser's own cache has them.
    await forEach((addresses ?? []).filter(isOurs), async (address) => {
      if (!await cache.match(name(address))) await keep(cache, address, {cache: "force-cache"}).catch(() => {});
    });
    if (!whole) return port.postMessage({done: true});
    try {
      const files = await fetchFiles();
      let count = 0;
      await forEach(files, async (address) => {
        if (!await cache.match(address)) {
          const response = await keep(cache, address);
          if (!isSound(response)) throw new Error(`${address}: ${response.status}`);
        }
        count += 1;
        port.postMessage({count, total: files.length});
      });
      await cache.put(WHOLE, new Response(""));
      port.postMessage({done: true});
    } catch (error) {
      port.postMessage({failed: error.message});
    }
  })());
});
{%- else %}

// This site no longer works offline: forget what was kept, and go.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const key of await caches.keys()) if (key.startsWith(PREFIX)) await caches.delete(key);
    await self.registration.unregister();
  })());
});
{%- endif %}
