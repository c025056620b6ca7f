// Deals questions to practise on: docs/_ext/practice.py writes the list of all into the page, and each question's parts into files of their own.
"use strict";
(() => {
  const root = document.querySelector(".practice");
  const {language, languages, topics, levels, asked, texts, questions} = JSON.parse(root.dataset.practice);
  const KEY = "pytorch-interview:practice", INTERVIEW = {number: 6, minutes: 45}, SPEAKING = 30;
  // Loaded with the first card that holds a formula
  const MATHS = ["_static/maths/maths.css", "_static/maths/stix-two-math.woff2"];
  const slug = (question) => question.page.split("/").pop();
  const bySlug = new Map(questions.map((question) => [slug(question), question]));
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // Where a browser keeps nothing for this site, choices hold until the page is left.
  const keep = (storage, key, value) => {
    try { value === null ? storage().removeItem(key) : storage().setItem(key, JSON.stringify(value)) } catch { /* see above */ }
  };
  const recall = (storage, key) => {
    try { return JSON.parse(storage().getItem(key)) } catch { return null }
  };
  const local = () => localStorage, tab = () => sessionStorage;

  const make = (name, properties = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
      if (key.includes("-") || key === "for" || key === "role" || key === "lang") element.setAttribute(key, value);
      else element[key] = value;
    }
    element.append(...children);
    return element;
  };
  const button = (text, action, properties = {}) => {
    const element = make("button", {type: "button", textContent: text, ...properties});
    element.addEventListener("click", action);
    return element;
  };
  const shuffle = (list) => {
    const all = [...list];
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [all[i], all[j]] = [all[j], all[i]];
    }
    return all;
  };

  const load = (source) => new Promise((resolve, reject) => {
    const script = make("script", {src: source});
    script.onload = resolve;
    script.onerror = () => { script.remove(); reject(new Error(`${source} can't be loaded`)) };
    document.head.append(script);
  });
  const parts = async (code, page) => {
    const name = `${code}/${page}`;
    if (!window.practiceParts?.[name]) await load(`../${code}/_static/practice/${page}.js`);
    const found = window.practiceParts[name];
    if (JSON.stringify(found).includes("<math") && !document.querySelector("link[href*='maths.css']")) {
      document.head.append(make("link", {rel: "stylesheet", href: MATHS[0]}));
    }
    return found;
  };

  // When a question is due follows from its reviews, by FSRS with its makers' parameters. Whole days: no steps of minutes, no randomness.
  let scheduler = null;
  const schedulerName = "ts-fsrs 5.4.2";
  const learn = async () => {
    if (!window.FSRS) await load(`_static/vendor/ts-fsrs/index.umd.js`);
    scheduler ??= FSRS.fsrs({enable_fuzz: false, enable_short_term: false});
  };
  const replay = (reviews) => {
    let card = FSRS.createEmptyCard(new Date(reviews[0]?.time ?? Date.now()));
    for (const {time, rating} of reviews) card = scheduler.next(card, new Date(time), rating).card;
    return card;
  };
  const schedule = (reviews) => {
    const card = replay(reviews);
    return {due: card.due.getTime(), last: reviews.at(-1).time, reviews: reviews.length, scheduler: schedulerName};
  };

  // What the browser keeps. Where it keeps nothing, grades order the session and are forgotten.
  let kept = true;
  const known = async () => {
    try {
      return {cards: await records.cards(), marks: await records.marks(), reviews: await records.reviews()};
    } catch {
      kept = false;
      return {cards: [], marks: [], reviews: []};
    }
  };

  // A site's update may have renamed questions, or brought another scheduler.
  const update = async () => {
    const {cards, marks, reviews} = await known();
    const names = Object.fromEntries(questions.flatMap((question) => question.formerly.map((old) => [old, slug(question)])));
    const used = [...cards, ...marks, ...reviews].some(({question}) => question in names);
    const stale = cards.some((card) => card.scheduler !== schedulerName) || (reviews.length > 0 && cards.length === 0);
    if (!used && !stale) return;
    await learn();
    if (used) await records.rename(names, schedule);
    if (stale) await records.reschedule(schedule);
  };

  // ── Choosing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const status = make("p", {className: "practice-status", role: "status"});
  const stage = make("div", {className: "practice-stage"});
  root.replaceChildren(status, stage);
  const say = (text) => { status.textContent = text };

  const choices = {
    topics: Object.keys(topics), levels: Object.keys(levels), asked: Object.keys(asked), which: "today", number: 10,
    asking: language, answering: language, timer: false,
  };
  const recalled = recall(local, KEY);
  for (const [name, value] of Object.entries(recalled && typeof recalled === "object" ? recalled : {})) {
    if (name in choices && typeof value === typeof choices[name]) choices[name] = value;
  }
  // What a site's update has taken away can't be chosen.
  choices.topics = choices.topics.filter((name) => name in topics);
  for (const name of ["asking", "answering"]) if (!(choices[name] in languages)) choices[name] = language;

  const matching = () => questions.filter((question) =>
    choices.topics.includes(question.topic) && choices.levels.includes(question.level) && choices.asked.includes(question.asked));

  const sort = async () => {
    const {cards, marks, reviews} = await known();
    const found = matching(), names = new Set(found.map(slug)), end = records.endOfToday();
    const carded = new Map(cards.map((card) => [card.question, card]));
    const due = cards.filter((card) => names.has(card.question) && card.due < end).sort((a, b) => a.due - b.due).map((card) => bySlug.get(card.question));
    const fresh = found.filter((question) => !carded.has(slug(question)));
    const later = marks.filter((mark) => mark.later && names.has(mark.question)).map((mark) => bySlug.get(mark.question));
    const midnight = new Date().setHours(0, 0, 0, 0);
    const done = new Set(reviews.filter((review) => review.time >= midnight).map((review) => review.question)).size;
    return {found, due, fresh, later, done, reviews};
  };

  const group = (legend, name, options) => {
    const all = make("fieldset", {}, make("legend", {textContent: legend}));
    for (const [value, text] of Object.entries(options)) {
      const box = make("input", {type: "checkbox", value, checked: choices[name].includes(value)});
      box.addEventListener("change", () => {
        choices[name] = [...all.querySelectorAll("input:checked")].map((input) => input.value);
        chosen();
      });
      all.append(make("label", {}, box, text));
    }
    return all;
  };
  const pick = (text, name, options) => {
    const select = make("select", {});
    for (const [value, label] of Object.entries(options)) select.append(make("option", {value, textContent: label, selected: choices[name] === value}));
    select.addEventListener("change", () => { choices[name] = select.value; chosen() });
    return make("label", {}, text, " ", select);
  };

  const counts = make("p", {className: "practice-counts"});
  const count = async () => {
    const {found, due, fresh, done} = await sort();
    counts.textContent = fill(texts.counts, {matching: found.length, due: due.length, fresh: fresh.length, done});
  };
  const chosen = () => {
    keep(local, KEY, choices);
    count();
  };

  const choose = () => {
    keep(tab, KEY, null);
    leave = null;
    root.classList.remove("in-session");
    const names = Object.fromEntries(Object.entries(languages).map(([code, {name}]) => [code, name]));
    const number = make("input", {type: "number", min: 1, max: questions.length, value: choices.number, inputMode: "numeric"});
    number.addEventListener("change", () => {
      choices.number = Math.min(Math.max(Math.round(number.valueAsNumber) || 10, 1), questions.length);
      number.value = choices.number;
      chosen();
    });
    const timer = make("input", {type: "checkbox", checked: choices.timer});
    timer.addEventListener("change", () => { choices.timer = timer.checked; chosen() });
    const form = make("form", {className: "practice-form"},
      group(texts.topics, "topics", topics), group(texts.level, "levels", levels), group(texts.asked, "asked", asked),
      make("div", {className: "practice-row"},
        pick(texts.which, "which", {today: texts.today, due: texts.due, later: texts.later, all: texts.all}),
        make("label", {}, texts.number, " ", number)),
      make("div", {className: "practice-row"}, pick(texts.asking, "asking", names), pick(texts.answering, "answering", names)),
      make("label", {}, timer, texts.timer),
      counts,
      make("div", {className: "practice-row"},
        make("button", {type: "submit", className: "primary", textContent: texts.start}), button(texts.interview, () => interview())),
    );
    form.addEventListener("submit", (event) => { event.preventDefault(); start() });
    stage.replaceChildren(form, dataBox());
    count();
  };

  // ── Dealing ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const start = async () => {
    const {found, due, fresh, later} = await sort();
    const order = {today: [...due, ...shuffle(fresh)], due, later: shuffle(later), all: shuffle(found)}[choices.which];
    const dealt = order.slice(0, choices.number).map(slug);
    if (!dealt.length) return say(texts.nothing);
    say("");
    run({kind: "practice", dealt, position: 0, grades: []});
  };

  // As an interviewer picks: often asked before rarely asked, one topic after the other, the easier ones first.
  const interview = () => {
    const ranks = Object.keys(asked), pool = shuffle(matching()).sort((a, b) => ranks.indexOf(a.asked) - ranks.indexOf(b.asked)), dealt = [];
    while (dealt.length < INTERVIEW.number && dealt.length < pool.length) {
      const uses = (question) => dealt.filter((other) => other.topic === question.topic).length;
      dealt.push(pool.filter((question) => !dealt.includes(question)).reduce((best, question) => uses(question) < uses(best) ? question : best));
    }
    if (!dealt.length) return say(texts.nothing);
    say("");
    dealt.sort((a, b) => a.level - b.level);
    run({kind: "interview", dealt: dealt.map(slug), position: 0, grades: [], began: Date.now(), points: {}});
  };

  // A session survives a reload of its tab.
  let session = null, leave = null, ticking = null, turn = 0;
  const save = () => keep(tab, KEY, session);
  const run = (given) => {
    session = given;
    root.classList.add("in-session");
    save();
    // The whole session works without a connection, once it has begun.
    const codes = new Set([choices.asking, choices.answering]);
    const files = [...new Set(session.dealt)].flatMap((name) => [...codes].map((code) => `../${code}/_static/practice/${bySlug.get(name).page}.js`));
    offlineCopy.keep([...files, ...MATHS, "_static/vendor/ts-fsrs/index.umd.js"]).catch(() => {});
    card();
  };

  const tick = (paint) => {
    clearInterval(ticking);
    paint();
    ticking = setInterval(paint, 250);
  };
  const left = (began, seconds) => Math.max(0, Math.ceil(began / 1000 + seconds - Date.now() / 1000));
  const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

  // Text in a language of its own.
  const html = (name, content, code, className = "") => make(name, {className, lang: languages[code].tag, innerHTML: content});
  const folded = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);

  let keys = {};
  const card = async () => {
    const question = bySlug.get(session.dealt[session.position]);
    if (!question) return finish();
    keys = {};
    const mine = ++turn;
    const isInterview = session.kind === "interview";
    let asking, answering;
    try {
      [asking, answering] = await Promise.all([parts(choices.asking, question.page), parts(choices.answering, question.page)]);
      say("");
    } catch {
      say(texts.missing);
    }
    if (turn !== mine) return;  // the reader was faster
    const heading = asking ? html("h2", asking.title, choices.asking, "practice-question") : make("h2", {className: "practice-question", textContent: question.title});
    heading.tabIndex = -1;
    const place = make("p", {className: "practice-place"},
      fill(texts.position, {n: session.position + 1, total: session.dealt.length}), ` · ${topics[question.topic]} · ${levels[question.level]} · ${asked[question.asked]}`);
    const clock = make("p", {className: "practice-clock", role: "timer"});
    const answer = make("div", {className: "practice-answer"});
    const bar = make("div", {className: "practice-bar", role: "group", "aria-label": texts.grade});
    const shown = make("article", {className: "practice-card"}, place, clock, heading, answer, bar);
    stage.replaceChildren(shown);
    leave = () => finish();

    const spoken = Date.now();
    const paint = () => {
      if (isInterview) {
        const rest = left(session.began, INTERVIEW.minutes * 60);
        clock.textContent = rest ? fill(texts.clock, {time: minutes(rest)}) : texts.time_up;
      } else if (choices.timer && !answer.hasChildNodes()) {
        const rest = left(spoken, SPEAKING);
        clock.textContent = rest ? fill(texts.seconds, {n: rest}) : texts.time_up;
        clock.style.setProperty("--left", `${100 * rest / SPEAKING}%`);
      } else {
        clock.textContent = "";
      }
      clock.hidden = !clock.textContent;
      clock.classList.toggle("up", clock.textContent === texts.time_up);
    };
    tick(paint);

    const next = () => {
      session.position += 1;
      save();
      card();
    };
    const actions = [
      button(texts.skip, next, {className: "quiet"}), button(texts.leave, () => leave(), {className: "quiet"}),
    ];
    if (!isInterview && session.grades.length) actions.push(button(texts.undo, undo, {className: "quiet"}));
    const reveal = async () => {
      keys = {};
      bar.replaceChildren();
      answer.append(...answered(answering, question, isInterview));
      paint();
      if (isInterview) {
        bar.replaceChildren(button(texts.next, next, {className: "primary"}), ...actions);
        keys = {n: next};
      } else {
        const grades = await gradeButtons(question, next);
        bar.replaceChildren(make("div", {className: "practice-grades"}, ...grades), ...actions);
        keys = Object.fromEntries(grades.map((each, index) => [String(index + 1), () => each.click()]));
      }
      Object.assign(keys, {s: next, u: undo, t: () => judge(true), f: () => judge(false)});
      answer.focus({preventScroll: true});
    };
    answer.tabIndex = -1;
    bar.replaceChildren(...(answering ? [button(texts.show, reveal, {className: "primary"})] : []), ...actions);
    keys = {s: next, u: undo, ...(answering ? {" ": reveal, Enter: reveal} : {})};
    heading.focus({preventScroll: true});
    if (root.getBoundingClientRect().top < 0) root.scrollIntoView();
  };

  const answered = (data, question, isInterview) => {
    const code = choices.answering;
    const points = html("div", data.strong, code);
    if (isInterview) countPoints(points, question);
    const strong = folded(texts.strong, points);
    strong.open = isInterview;
    return [
      html("div", data.answer, code, "admonition answer"),
      ...(data.why ? [folded(texts.proof, html("div", data.why, code))] : []),
      ...(data.strong ? [strong] : []),
      ...(data.myths.length ? [make("h3", {textContent: texts.true_or_false}), ...data.myths.map((myth) => trueOrFalse(myth, code))] : []),
      ...(data.followups.length ? [make("h3", {textContent: texts.followups})] : []),
      ...data.followups.map((each) => folded(html("span", each.question, code), html("div", each.answer, code))),
      make("p", {}, make("a", {href: `../${code}/${question.page}.html`, textContent: texts.page})),
    ];
  };

  // A myth as claimed, or what is right instead: which of the two is dealt is left to chance.
  const trueOrFalse = (myth, code) => {
    const holds = Boolean(myth.right) && Math.random() < .5;
    const box = make("div", {className: "practice-claim"}), verdict = make("div", {role: "status"});
    const judged = (guess) => {
      box.classList.add("judged");
      for (const each of [yes, no]) each.disabled = true;
      verdict.append(
        make("p", {}, make("strong", {textContent: guess === holds ? texts.correct : texts.mistaken}), " ", holds ? texts.is_right : texts.is_myth),
        html("div", myth.proof, code), ...(holds || !myth.right ? [] : [html("p", myth.right, code, "practice-right")]),
      );
    };
    const yes = button(texts.true, () => judged(true)), no = button(texts.false, () => judged(false));
    box.append(html("p", holds ? myth.right : myth.claim, code), make("div", {className: "practice-row"}, yes, no), verdict);
    return box;
  };
  const judge = (guess) => {
    const open = stage.querySelector(".practice-claim:not(.judged)");
    open?.querySelectorAll(":scope > .practice-row button")[guess ? 0 : 1].click();
    open?.scrollIntoView({block: "nearest"});
  };

  // An interviewer ticks what was said.
  const countPoints = (points, question) => {
    const made = session.points[slug(question)] ??= {made: [], total: 0};
    const items = [...points.querySelectorAll(":scope > ul > li, :scope > ol > li")];
    made.total = items.length;
    items.forEach((item, index) => {
      const box = make("input", {type: "checkbox", checked: made.made.includes(index), "aria-label": item.textContent.trim().slice(0, 120)});
      box.addEventListener("change", () => {
        made.made = box.checked ? [...made.made, index] : made.made.filter((other) => other !== index);
        save();
      });
      (item.querySelector(":scope > p") ?? item).prepend(box, " ");
    });
    save();
  };

  const gradeButtons = async (question, next) => {
    const labels = [texts.again, texts.hard, texts.good, texts.easy];
    await learn();
    const reviews = (await known()).reviews.filter((review) => review.question === slug(question));
    const before = replay(reviews), now = Math.max(Date.now(), (reviews.at(-1)?.time ?? 0) + 1);
    return labels.map((label, index) => {
      const {scheduled_days: days} = scheduler.next(before, new Date(now), index + 1).card;
      const grade = button("", async () => {
        for (const each of stage.querySelectorAll(".practice-grades button")) each.disabled = true;
        await rate(question, index + 1);
        if (leave) next();
      });
      grade.append(make("span", {textContent: label}), make("span", {className: "practice-days", textContent: fill(texts.days, {n: days})}));
      return grade;
    });
  };

  const rate = async (question, rating) => {
    let review = {question: slug(question), rating};
    if (kept) {
      try {
        review = await records.add(review.question, rating, Date.now(), schedule);
      } catch (error) {
        say(fill(texts.failed, {detail: error.message}));
      }
    }
    session.grades.push({...review, position: session.position});
    // What was not known at all comes again before the session ends.
    if (rating === 1) session.dealt.push(review.question);
    save();
  };

  const undo = async () => {
    const last = session?.grades.pop();
    if (!last) return;
    if (last.time) await records.remove(last, schedule);
    if (last.rating === 1) session.dealt.pop();
    session.position = last.position;
    save();
    await card();
    say(texts.undone);
  };

  // ── The end ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const finish = () => {
    turn += 1;
    clearInterval(ticking);
    keys = {};
    leave = null;
    const link = make("a", {href: `#questions=${[...new Set(session.dealt)].join(",")}`, textContent: texts.share});
    const list = make("ul", {});
    if (session.kind === "interview") {
      for (const name of session.dealt) {
        const question = bySlug.get(name), made = session.points[name];
        list.append(make("li", {}, make("a", {href: `${question.page}.html`, textContent: question.title}),
          make("br"), fill(texts.points, {n: made?.made.length ?? 0, total: made?.total ?? "–"})));
      }
    }
    const heading = make("h2", {textContent: texts.done, tabIndex: -1});
    const graded = session.grades, well = graded.filter(({rating}) => rating > 2).length;
    stage.replaceChildren(heading,
      ...(session.kind === "interview" ? [list, make("p", {}, link)] : [make("p", {textContent: fill(texts.summary, {n: graded.length, known: well})})]),
      make("div", {className: "practice-row"}, button(texts.back, choose, {className: "primary"}),
        ...(graded.length ? [button(texts.undo, undo, {className: "quiet"})] : [])));
    keep(tab, KEY, null);
    heading.focus();
  };

  // ── What is kept ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const dataBox = () => {
    const told = make("p", {}), others = make("p", {});
    const file = make("input", {type: "file", accept: ".json,application/json", hidden: true});
    const attempt = async (work) => {
      try {
        await work();
      } catch (error) {
        say(fill(texts[error.reason] ?? texts.failed, {detail: error.detail ?? error.message}));
      }
    };
    const paint = async () => {
      const {reviews} = await known();
      const names = new Set(reviews.map(({question}) => question)), unknown = [...names].filter((name) => !bySlug.has(name)).length;
      told.textContent = kept ? fill(texts.kept, {reviews: reviews.length, questions: names.size}) : texts.unkept;
      others.textContent = unknown ? fill(texts.unknown, {n: unknown}) : "";
    };
    const save = () => attempt(async () => {
      const day = new Date().toISOString().slice(0, 10), address = URL.createObjectURL(new Blob([await records.write()], {type: "application/json"}));
      make("a", {href: address, download: `pytorch-interview-${day}.json`}).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
    file.addEventListener("change", () => attempt(async () => {
      const text = await file.files[0].text();
      file.value = "";
      const found = records.parse(text);
      await learn();
      say(fill(texts.imported, {n: await records.merge(found, schedule)}));
    }));
    const clear = () => confirm(texts.sure) && attempt(async () => {
      await records.clear();
      say(texts.cleared);
    });
    repaint = () => { paint(); count() };
    paint();
    return make("section", {className: "practice-data"}, make("h2", {textContent: texts.data}), told, others,
      make("div", {className: "practice-row"}, button(texts.export, save), button(texts.import, () => file.click()), button(texts.clear, clear)), file, offlineBox());
  };
  let repaint = () => {};

  // What can be read without a connection (offline.js). Looked up when it is opened.
  const offlineBox = () => {
    const told = make("p", {role: "status"}), row = make("div", {className: "practice-row"});
    const box = folded(texts.offline, told, row);
    const paint = async () => {
      const {possible, on, whole, pages, bytes} = await offlineCopy.state();
      told.textContent = !possible ? texts.offline_not : !on ? texts.offline_off : whole ? texts.offline_whole : fill(texts.offline_on, {pages});
      row.replaceChildren(
        ...(possible && bytes && !(on && whole) ? [button(fill(texts.keep_whole, {size: (bytes / 1e6).toFixed(1)}), attempt(keepWhole))] : []),
        ...(possible && !on ? [button(texts.keep_visited, attempt(offlineCopy.start))] : []),
        ...(possible && on ? [button(texts.keep_none, attempt(offlineCopy.remove))] : []));
    };
    const keepWhole = () => offlineCopy.keepWhole((progress) => { told.textContent = fill(texts.keeping, progress) });
    const attempt = (work) => async () => {
      for (const each of row.children) each.disabled = true;
      let failure = "";
      try {
        await work();
      } catch (error) {
        failure = fill(texts.failed, {detail: error.message});
      }
      await paint();
      if (failure) told.textContent = failure;
    };
    box.addEventListener("toggle", () => box.open && paint());
    return box;
  };

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (event.key === "Escape" && leave) return leave();
    // Keys belong to the page only while the focus is in the session or nowhere; buttons, boxes and links keep Enter and space.
    const {activeElement: focus} = document;
    if (focus !== document.body && !stage.contains(focus)) return;
    if (focus.matches("input:not([type=checkbox]), select, textarea")) return;
    if ([" ", "Enter"].includes(event.key) && focus.matches("button, a, summary, input")) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || event.repeat) return;
    event.preventDefault();
    action();
  });

  const begin = async () => {
    try {
      await update();
    } catch (error) {
      say(fill(texts.failed, {detail: error.message}));
    }
    // A link to certain questions, or the session that a reload has cut.
    const linked = location.hash.match(/^#questions=([a-z0-9,-]+)$/)?.[1].split(",").filter((name) => bySlug.has(name)) ?? [];
    const saved = recall(tab, KEY);
    if (linked.length) {
      history.replaceState(null, "", location.pathname + location.search);
      run({kind: "interview", dealt: linked, position: 0, grades: [], began: Date.now(), points: {}});
    } else if (Array.isArray(saved?.dealt) && saved.dealt.every((name) => bySlug.has(name))) {
      run(saved);
    } else {
      choose();
    }
  };
  records.onChange(() => repaint());
  begin();
  addEventListener("hashchange", () => location.hash.startsWith("#questions=") && begin());
})();
