// Keep what a reader visits for when there is no connection. The work is done by sw.js at the site's root (docs/_templates/root/sw.js).
"use strict";
const offlineCopy = (() => {
  const KEY = "pytorch-interview:offline";
  const root = new URL(`${document.documentElement.dataset.content_root}../`, location.href).href;
  const prefix = `pytorch-interview:${new URL(root).pathname}:`;
  // Not on file://, where pages lie on the reader's own disk; nor where the connection could be tampered with.
  const possible = location.protocol.startsWith("http") && "serviceWorker" in navigator && "caches" in window;

  const wanted = () => {
    try { return localStorage.getItem(KEY) !== "off" } catch { return false }
  };
  const want = (on) => {
    try { on ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, "off") } catch { /* then nothing is kept anyway */ }
  };

  const ask = async (message, progress = () => {}) => {
    const {active} = await navigator.serviceWorker.ready;
    const {port1, port2} = new MessageChannel();
    return new Promise((resolve, reject) => {
      port1.onmessage = ({data}) => {
        if (!data.done && !data.failed) return progress(data);
        port1.close();
        data.done ? resolve() : reject(new Error(data.failed));
      };
      active.postMessage(message, [port2]);
    });
  };

  // What a page loads before the worker is there, or past it, as browsers load the site's icon.
  const loaded = (entries) => entries.map((entry) => entry.name).filter((name) => name.startsWith(root));
  const tell = async (entries) => wanted() && ask({keep: [location.href, ...loaded(entries)]}).catch(() => {});

  const register = async () => {
    // A new version takes over while this page is open: what has come in without it is kept then.
    navigator.serviceWorker.addEventListener("controllerchange", () => tell(performance.getEntriesByType("resource")));
    await navigator.serviceWorker.register(`${root}sw.js`, {scope: root});
    await tell(performance.getEntriesByType("resource"));
    new PerformanceObserver((list) => tell(list.getEntries())).observe({type: "resource", buffered: true});
  };

  const ours = async () => (await caches.keys()).filter((key) => key.startsWith(prefix));

  const state = async () => {
    const kept = {possible, on: possible && wanted(), whole: false, pages: 0, bytes: 0};
    if (!possible) return kept;
    for (const key of await ours()) {
      const cache = await caches.open(key);
      kept.whole ||= Boolean(await cache.match(`${root}offline-whole`));
      kept.pages += (await cache.keys()).filter(({url}) => url.endsWith(".html")).length;
    }
    try {
      const {files} = await (await fetch(`${root}offline-files.json`, {cache: "no-cache"})).json();
      kept.bytes = Object.values(files).reduce((sum, size) => sum + size, 0);
    } catch { /* there is no connection: the size is not known */ }
    return kept;
  };

  const remove = async () => {
    want(false);
    await (await navigator.serviceWorker.getRegistration(root))?.unregister();
    for (const key of await ours()) await caches.delete(key);
  };

  const start = async () => {
    want(true);
    await register();
    // A worker that was on its way out when it was called back has no cache any more.
    await ask({again: true, keep: [location.href]});
  };

  // After the page: nothing of this is needed to read it. A site without a worker, such as a preview, just has none.
  if (possible && wanted()) {
    const later = () => register().catch(() => {});
    document.readyState === "complete" ? later() : addEventListener("load", later);
  } else if (possible) {
    // The page where a reader has removed everything was served by the worker to its end.
    ours().then((keys) => keys.forEach((key) => caches.delete(key))).catch(() => {});
  }

  return {
    state, remove, start,
    keep: (addresses) => possible && wanted() ? ask({keep: addresses.map((address) => new URL(address, location.href).href)}) : Promise.resolve(),
    keepWhole: async (progress) => {
      await start();
      await ask({whole: true}, progress);
    },
  };
})();
