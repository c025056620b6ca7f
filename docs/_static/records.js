// What a reader has practised, read and wants to review: kept in this browser (IndexedDB), sent nowhere. Below: its marks on lists and pages.
//
// Reviews are only ever added, each under its question and its time, so two tabs, or a file and this browser, come together without
// losing any. What is due when (a "card") is worked out from a question's reviews by the scheduler that the caller passes, in the same
// transaction. A question goes by its slug. Records of a question that this site doesn't have are kept.
"use strict";
const records = (() => {
  const NAME = "pytorch-interview", FORMAT = "pytorch-interview-practice", DAY = 86400000;
  const DATABASE_VERSION = 2, FILE_VERSION = 2;
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(NAME) : null;
  const listeners = new Set();

  const settle = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  // Version 1 had reviews and cards, 2 added marks. A browser may hold a newer version, where the site went back to an older state.
  const open = (version) => new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, version);
    request.onupgradeneeded = ({oldVersion}) => {
      const database = request.result;
      if (oldVersion < 1) {
        database.createObjectStore("reviews", {keyPath: ["question", "time"]});
        database.createObjectStore("cards", {keyPath: "question"});
      }
      if (oldVersion < 2) database.createObjectStore("marks", {keyPath: "question"});
    };
    request.onsuccess = () => {
      // A tab with a newer site wants to change the schema: make way.
      request.result.onversionchange = () => { request.result.close(); database = null };
      resolve(request.result);
    };
    request.onerror = () => request.error.name === "VersionError" && version ? open().then(resolve, reject) : reject(request.error);
  });

  let database = null;
  const connect = () => database ??= open(DATABASE_VERSION).catch((error) => { database = null; throw error });

  // Run `work(stores)` in one transaction; its result comes when everything is safely written.
  const transact = async (names, mode, work) => {
    const transaction = (await connect()).transaction(names, mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
    const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
    let result;
    try {
      result = await work(stores);
    } catch (error) {
      try { transaction.abort() } catch { /* it has ended already */ }
      done.catch(() => {});
      throw error;
    }
    await done;
    return result;
  };

  const changed = () => {
    channel?.postMessage("changed");
    for (const listener of listeners) listener();
  };
  channel?.addEventListener("message", () => { for (const listener of listeners) listener() });

  const of = (question) => IDBKeyRange.bound([question, -Infinity], [question, Infinity]);

  // Work out a question's card again from all its reviews.
  const settleCard = async ({reviews, cards}, question, schedule) => {
    const all = await settle(reviews.getAll(of(question)));
    const card = all.length ? {question, ...schedule(all)} : null;
    await settle(card ? cards.put(card) : cards.delete(question));
    return card;
  };

  const all = (name) => transact([name], "readonly", (stores) => settle(stores[name].getAll()));

  const add = async (question, rating, time, schedule) => {
    const review = await transact(["reviews", "cards"], "readwrite", async (stores) => {
      // Two tabs may grade in the same millisecond.
      while (await settle(stores.reviews.get([question, time]))) time += 1;
      await settle(stores.reviews.add({question, time, rating}));
      await settleCard(stores, question, schedule);
      return {question, time, rating};
    });
    changed();
    return review;
  };

  const remove = async ({question, time}, schedule) => {
    await transact(["reviews", "cards"], "readwrite", async (stores) => {
      await settle(stores.reviews.delete([question, time]));
      await settleCard(stores, question, schedule);
    });
    changed();
  };

  const mark = async (question, change, time = Date.now()) => {
    await transact(["marks"], "readwrite", async ({marks}) => {
      const old = await settle(marks.get(question)) ?? {question, read: false, later: false};
      await settle(marks.put({...old, ...change, time}));
    });
    changed();
  };

  // Put reviews and marks beside those that are here. Of two marks of a question the later one holds.
  const merge = async ({reviews, marks}, schedule) => {
    const added = await transact(["reviews", "cards", "marks"], "readwrite", async (stores) => {
      let count = 0;
      for (const {question, time, rating} of reviews) {
        if (await settle(stores.reviews.get([question, time]))) continue;
        await settle(stores.reviews.add({question, time, rating}));
        count += 1;
      }
      for (const question of new Set(reviews.map((review) => review.question))) await settleCard(stores, question, schedule);
      for (const {question, read, later, time} of marks) {
        const old = await settle(stores.marks.get(question));
        if (!old || old.time < time) await settle(stores.marks.put({question, read, later, time}));
      }
      return count;
    });
    changed();
    return added;
  };

  // Hand a renamed question's records to its new name. `names` maps former names to present ones.
  const rename = async (names, schedule) => {
    const moved = await transact(["reviews", "cards", "marks"], "readwrite", async (stores) => {
      let count = 0;
      for (const [old, question] of Object.entries(names)) {
        const reviews = await settle(stores.reviews.getAll(of(old))), left = await settle(stores.marks.get(old));
        for (const {time, rating} of reviews) {
          await settle(stores.reviews.put({question, time, rating}));
          await settle(stores.reviews.delete([old, time]));
        }
        await settle(stores.cards.delete(old));
        if (reviews.length) await settleCard(stores, question, schedule);
        if (left) {
          const mark = await settle(stores.marks.get(question));
          if (!mark || mark.time < left.time) await settle(stores.marks.put({...left, question}));
          await settle(stores.marks.delete(old));
        }
        count += reviews.length + (left ? 1 : 0);
      }
      return count;
    });
    if (moved) changed();
    return moved;
  };

  // Work all cards out again: the scheduler has changed.
  const reschedule = (schedule) => transact(["reviews", "cards"], "readwrite", async (stores) => {
    const names = new Set((await settle(stores.reviews.getAllKeys())).map(([question]) => question));
    await settle(stores.cards.clear());
    for (const question of names) await settleCard(stores, question, schedule);
  });

  const clear = async () => {
    await transact(["reviews", "cards", "marks"], "readwrite", async (stores) => {
      for (const store of Object.values(stores)) await settle(store.clear());
    });
    changed();
  };

  // The file: everything but the cards, which follow from the reviews.
  const write = async () => JSON.stringify({
    format: FORMAT, version: FILE_VERSION, exported: new Date().toISOString(), reviews: await all("reviews"), marks: await all("marks"),
  }, null, 1);

  // Version 1 had no marks.
  const UPGRADES = {1: (file) => ({...file, version: 2, marks: []})};

  class FileError extends Error {
    constructor(reason, detail = "") {
      super(`${reason} ${detail}`.trim());
      this.reason = reason;  // not-json, foreign, newer, damaged
      this.detail = detail;
    }
  }

  const isSlug = (value) => typeof value === "string" && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value);
  const isTime = (value) => Number.isInteger(value) && value > Date.UTC(2020, 0) && value < Date.now() + DAY;
  const isReview = (review) => review && isSlug(review.question) && isTime(review.time) && [1, 2, 3, 4].includes(review.rating);
  const isMark = (mark) => mark && isSlug(mark.question) && isTime(mark.time) && [mark.read, mark.later].every((value) => typeof value === "boolean");

  // Read a file's text. It is taken whole or not at all: throws a FileError that says why.
  const parse = (text) => {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new FileError("not-json");
    }
    if (file?.format !== FORMAT || !Number.isInteger(file.version) || file.version < 1) throw new FileError("foreign");
    if (file.version > FILE_VERSION) throw new FileError("newer", String(file.version));
    while (file.version < FILE_VERSION) file = UPGRADES[file.version](file);
    for (const [name, sound] of [["reviews", isReview], ["marks", isMark]]) {
      if (!Array.isArray(file[name])) throw new FileError("damaged", name);
      const index = file[name].findIndex((entry) => !sound(entry));
      if (index >= 0) throw new FileError("damaged", `${name}[${index}]`);
    }
    return file;
  };

  const endOfToday = () => new Date().setHours(24, 0, 0, 0);

  return {
    add, remove, mark, merge, rename, reschedule, clear, write, parse, endOfToday,
    reviews: () => all("reviews"), cards: () => all("cards"), marks: () => all("marks"),
    onChange: (listener) => listeners.add(listener),
  };
})();

// On lists of questions each question shows its marks; on a question's page its buttons set them.
{
  const texts = JSON.parse(document.currentScript?.dataset.texts ?? "null");
  const slugOf = (link) => new URL(link.href).pathname.match(/\/questions\/[a-z0-9-]+\/([a-z0-9-]+)\.html$/)?.[1];
  const links = [...document.querySelectorAll("article ul.questions a[href]")].filter(slugOf);
  const buttons = [...document.querySelectorAll(".study-tools [data-mark]")];

  const draw = async () => {
    const [marks, cards] = await Promise.all([records.marks(), records.cards()]);
    const marked = new Map(marks.map((mark) => [mark.question, mark])), dealt = new Map(cards.map((card) => [card.question, card]));
    for (const link of links) {
      const slug = slugOf(link), mark = marked.get(slug), item = link.closest("li");
      const states = {
        read: mark?.read, later: mark?.later, due: dealt.has(slug) && dealt.get(slug).due < records.endOfToday(),
      };
      item.querySelector(".marks")?.remove();
      const shown = document.createElement("span");
      shown.className = "marks";
      for (const [name, on] of Object.entries(states)) {
        if (!on) continue;
        const state = document.createElement("span");
        state.className = `mark-${name}`;
        state.textContent = texts[name];
        shown.append(" ", state);
      }
      if (shown.hasChildNodes()) (link.closest("p") ?? item).append(shown);
    }
    for (const button of buttons) {
      button.setAttribute("aria-pressed", marked.get(button.dataset.question)?.[button.dataset.mark] ?? false);
      button.hidden = false;
    }
  };

  for (const button of buttons) {
    button.addEventListener("click", async () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      await records.mark(button.dataset.question, {[button.dataset.mark]: on});
    });
  }
  if (links.length || buttons.length) {
    records.onChange(draw);
    // A reader whose browser keeps nothing sees no marks and no buttons.
    draw().catch(() => {});
  }
}
