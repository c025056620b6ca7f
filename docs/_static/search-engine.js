// Cuts texts and queries into terms, indexes the records of search-index.js with MiniSearch, and ranks pages.
// It touches no page, so the same file runs in the browser and, in mini-racer, in the tests and in nox -s bench.
"use strict";

const SearchEngine = (() => {
  const HAN = "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff";
  const RUN = new RegExp(`[${HAN}]+|(?:(?![${HAN}])[\\p{L}\\p{N}_])+`, "gu");
  const IS_HAN = new RegExp(`^[${HAN}]`);

  // Words that ask, in both languages: they say nothing of the matter, and no page has all of them.
  const ASKING = new Set(
    ("a an the is are was be am been being do does did done have has had how what why when where which who whether can could should would will may might must " +
      "i you we it its my your this that these those there of in on at to for from by with as and or vs versus than then so if but " +
      "difference differences different between use used using mean means explain tell me about please need needed really actually just " +
      "not no t s don doesn didn isn aren").split(" "),
  );
  const ASKING_HAN = new RegExp(
    "为什么|为何|为啥|是什么意思|是什么原因|什么意思|什么原因|是什么|什么是|什么时候|什么情况|有什么|干什么|做什么|什么|啥|怎么办|怎么样|怎么|怎样|如何|哪些|哪个|哪里|几种|多少|" +
      "有何|区别|差别|差异|不同|不一样|一样|对比|比较|关系|作用|用法|原理|请问|请|解释|说说|讲讲|谈谈|介绍|一下|到底|究竟|能不能|能否|可不可以|可以|是不是|是否|会不会|要不要|有没有|应该|应当|需要|" +
      "报错|情况下|注意|还是|以及|里面|的时候|时候|之后|之前|之间|那么|这个|那个|这些|为了|因为|所以|吗|呢|吧|啊|的|了|着|是|在|把|被|让|我|你|它|他|们|里|时|都|也|就|才|还能|还|" +
      "(?<![求总饱之加权])和|与|跟|或|及|上|下|要|能|会|用",
    "gu",
  );
  // Words that ask for a script to run or a figure to look at.
  const SHOW = /\b(?:examples?|scripts?|code|demos?|runnable|figures?|plots?|draw|drawn|visuali[sz]\w*|implement\w*|by hand)\b|示例|例子|代码|脚本|演示|示意图?|箭头图|可视化|实现|画出|手写|图$/giu;
  const HINT = /\b(?:from scratch|step by step|notebook|experiment|simulat\w*|illustrat\w*|animat\w*|print\w*|show\w*|walk\s?through|tutorial|sample|curves?)\b|画|图解|图示|手工|手动|手撕|从零|一步步|一步一步|逐步|实验|验证|复现|模拟|曲线|打印|跑一|直观|展示|怎么写/iu;
  const NUMBER = /^\d+(?:x\d+)*$/;

  // Full-width signs and blanks as half-width ones, one for one, so that places in the text stay.
  const narrow = (text) =>
    text.replace(/[\uff01-\uff5e\u3000]/g, (c) => (c === "\u3000" ? " " : String.fromCharCode(c.charCodeAt(0) - 0xfee0)));

  // Traditional characters as simplified ones, as far as the site's texts use these (from OpenCC's TSCharacters, Apache-2.0).
  const TRADITIONAL = "丟並乾亂佈佔併來侷係俬倉個們側備傢傳僅價億儘優儲兒內兩冊冪凍別刪則剛創劃動務勝勢勻匯區協卻卽厤參問啓啟單嗆嗎噹嚮嚴圍圓圖團埰執報場塊壓壞夠學孿寀實寫寬將專對導層屬峯師帶幫幹幾庫廠廣張強彆彔彙彿後徑從復徵恆態慣慮應懲拋捨捱捲掃掛採揚換損搶摺撐擁擇擔據擬擺攔攤敎敗數斂斷於旣昇時曆曏書會朮東査條棄棧極榘榦構樑標樣樸機橫檔檢檯權歷歸殘殻殼氾汎決沒沖況泝淺減測湊準滙滿漲漸濾災為無熱爭爲爾狀獨獲獻現環產産畫異畵當疊癥發盡盪眞確碼礎礙祕種稱穀積穩穫窮竪競箇節範篩簡簽籤糰約級細終絃組結絕絡給統絲絶綁綑經綫維網綴緊緒線編緩練緻縮總繞繫繼續纍纔纜罰義習聲脩脫腳臨臺與舊萬葉葯蒐蓋蔘蕩薦藥蘋處虛號術衕衛衝裏補裝裡製複襬覈見規視親覺覽觀觸計訓記訪設許訴註証評詞試話該詳誌認語誤說説誰調請論謂講證識譜譟譯議護讀變讓豎貝負貢責費貼賦賴趨踐蹤躍軛軟軸較載輔輕輪輸轉辦辭迴這連週進運過達違遞遠遡適遲遷選遺還邊鄰釋針鈎鈕鈡鉤銷錄錨錯録錶鍵鍼鍾鎖鏇鏈鐘鑣長門閉開間閤閱閲闆關陞陣隊階際隨險隱隻雖雙離難靜韆響頁頂項順須預頭頻題額類顧顯颱飽飾餘餵餾馬驗驟體髮鬚麪麫麯麴麵麼麽點齊齣";
  const SIMPLIFIED = "丢并干乱布占并来局系私仓个们侧备家传仅价亿尽优储儿内两册幂冻别删则刚创划动务胜势匀汇区协却即历参问启启单呛吗当向严围圆图团采执报场块压坏够学孪采实写宽将专对导层属峰师带帮干几库厂广张强别录汇佛后径从复征恒态惯虑应惩抛舍挨卷扫挂采扬换损抢折撑拥择担据拟摆拦摊教败数敛断于既升时历向书会术东查条弃栈极矩干构梁标样朴机横档检台权历归残壳壳泛泛决没冲况溯浅减测凑准汇满涨渐滤灾为无热争为尔状独获献现环产产画异画当叠症发尽荡真确码础碍秘种称谷积稳获穷竖竞个节范筛简签签团约级细终弦组结绝络给统丝绝绑捆经线维网缀紧绪线编缓练致缩总绕系继续累才缆罚义习声修脱脚临台与旧万叶药搜盖参荡荐药苹处虚号术同卫冲里补装里制复摆核见规视亲觉览观触计训记访设许诉注证评词试话该详志认语误说说谁调请论谓讲证识谱噪译议护读变让竖贝负贡责费贴赋赖趋践踪跃轭软轴较载辅轻轮输转办辞回这连周进运过达违递远溯适迟迁选遗还边邻释针钩钮钟钩销录锚错录表键针钟锁旋链钟镳长门闭开间合阅阅板关升阵队阶际随险隐只虽双离难静千响页顶项顺须预头频题额类顾显台饱饰余喂馏马验骤体发须面面曲曲面么么点齐出";
  const SIMPLE = new Map([...TRADITIONAL].map((character, i) => [character, SIMPLIFIED[i]]));
  const simplified = (text) => text.replace(/[\u3400-\u9fff]/g, (character) => SIMPLE.get(character) || character);

  // Words of the field that mean the same to somebody who searches; a page's own go into its keywords.
  const SYNONYMS = [
    "BN, batchnorm, 批归一化, 批标准化, 批量归一化, 批规范化",
    "LN, layernorm, 层归一化",
    "GN, groupnorm, 组归一化",
    "DP, dataparallel, 数据并行",
    "DDP, distributeddataparallel, 分布式数据并行",
    "TF, tensorflow",
    "lr, learning rate, 学习率",
    "AMP, mixed precision, 混合精度",
    "OOM, out of memory, 显存不足, 爆显存, 显存不够, 显存溢出",
    "显卡, GPU, 卡",
    "多卡, multi gpu, multiple gpus, 多GPU",
    "自动求导, 自动微分, 求导, autograd, automatic differentiation, autodiff",
    "反向传播, 反传, 后向传播, backward, backpropagation, backprop",
    "前向传播, 前传, forward",
    "梯度, gradient, grad",
    "损失, loss, 代价函数, cost function, objective",
    "归一化, 标准化, 规范化, normalization",
    "推理, 测试, 评估, 验证, inference, evaluation, eval, testing, prediction",
    "累积, 累加, 叠加, accumulate, accumulation",
    "微调, 迁移学习, fine tuning, finetune, transfer learning",
    "预训练, pretrained",
    "冻结, 固定, 冻住, freeze, frozen",
    "卷积, convolution, conv",
    "交叉熵, cross entropy",
    "张量, tensor",
    "模型, 网络, model, network",
    "叶子节点, 叶子张量, leaf",
    "计算图, 动态图, computation graph, computational graph",
    "初始化, initialization, init, 初值",
    "多进程, 进程, process",
    "布局, 排布, layout, memory format, channels_last",
    "融合, 折叠, 合并, fold, fuse, fusion, merge",
    "维度, 轴, axis, axes, dimension",
    "同步, sync, synchronized",
    "优化器, optimizer",
    "下标, 索引, index",
    "误传, 误区, 误解, 谬误, 错误答案, myth, misconception",
    "报错, 错误信息, 异常, error message, exception",
    "术语, 名词, 词汇, glossary, term, terminology, definition",
  ].map((group) => group.split(", "));

  // English words without their endings, British as American: normalised, normalizing → normaliz. Crude, but the same for texts and queries.
  const stem = (word) => {
    if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
    let w = word.replace(/([a-z]{3})is(ation|e|ed|es|ing|er)(s?)$/, "$1iz$2$3").replace(/our$/, "or");
    w = w.replace(/ies$/, "y").replace(/(ss|x|ch|sh)es$/, "$1").replace(/([^siu])s$/, "$1");
    const bare = w.replace(/(?:ing|ed)$/, "");
    if (bare !== w && bare.length > 2 && /[aeiouy]/.test(bare)) w = bare.replace(/([bdfgmnprt])\1$/, "$1");
    return w.length > 3 ? w.replace(/e$/, "") : w;
  };

  // A word with its parts: BatchNorm2d → batchnorm2d; batchnorm, batch, norm. `whole` is its spelling without case and underscores.
  const known = new Map();
  const split = (word) => {
    let found = known.get(word);
    if (!found) known.set(word, (found = cut(word)));
    return found;
  };
  const cut = (word) => {
    const spaced = word.replace(/([a-z\d])([A-Z])/g, "$1_$2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2");
    const parts = spaced.toLowerCase().split("_").filter(Boolean);
    const whole = parts.join("");
    const base = whole.replace(/\d+d?$/, "");
    const more = parts.length > 1 ? parts.flatMap((part) => [part, part.replace(/\d+d?$/, "")]) : [];
    return { whole: stem(whole), parts: [...new Set([base, ...more])].filter((part) => part && part !== whole).map(stem) };
  };

  // Every term of a text with its place: [{term, start, end}]. Chinese in pairs of characters.
  const terms = (text) => {
    const found = [];
    for (const match of narrow(text).matchAll(RUN)) {
      const run = match[0], at = match.index;
      if (IS_HAN.test(run)) {
        if (run.length === 1) found.push({ term: run, start: at, end: at + 1 });
        for (let i = 0; i + 1 < run.length; i++) found.push({ term: run.slice(i, i + 2), start: at + i, end: at + i + 2 });
      } else {
        const { whole, parts } = split(run);
        if (!whole) continue;
        for (const term of [whole, ...parts]) found.push({ term, start: at, end: at + run.length });
      }
    }
    return found;
  };

  // In titles and keywords also two words as one: "batch norm" is found by batchnorm.
  const joined = (text) => {
    const words = [...narrow(text).toLowerCase().matchAll(/[a-z\d]+/g)];
    const pairs = [];
    for (let i = 0; i + 1 < words.length; i++) {
      if (ASKING.has(words[i][0]) || ASKING.has(words[i + 1][0])) continue;
      const between = text.slice(words[i].index + words[i][0].length, words[i + 1].index);
      if (/^[\s_-]$/.test(between)) pairs.push(stem(words[i][0] + words[i + 1][0]));
    }
    return pairs;
  };

  const SHORT = new Set(["title", "keywords", "headings"]);
  // Each term once: sections are short, so how often says little, and it halves the time to index.
  const tokenize = (text, field) => [...new Set([...terms(text).map(({ term }) => term), ...(SHORT.has(field) ? joined(text) : [])])];

  const bare = (text) => narrow(text.normalize("NFKC")).toLowerCase().replace(/[\s\p{P}\p{S}_]+/gu, "");

  // What a query asks for: [{term, weight, alternatives, last}]. A term that a longer one holds is its alternative.
  const parse = (query) => {
    const text = simplified(query.normalize("NFKC"))
      .replace(/File "[^"]*", line \d+(?:, in \S+)?/g, " ")
      .replace(/\b0x[0-9a-f]+\b/gi, " ")
      .replace(/Traceback \(most recent call last\):?/g, " ");
    const words = [];
    const blank = (asked) => " ".repeat(asked.length);
    for (const match of text.replace(SHOW, blank).replace(ASKING_HAN, blank).matchAll(RUN)) words.push({ run: match[0], at: match.index });
    const asked = [];
    const add = (term, more) => term && !asked.some((one) => one.term === term) && asked.push({ term, weight: 1, parts: [], ...more });
    const long = words.length > 1;
    words.forEach(({ run, at }, i) => {
      const last = at + run.length === text.length;
      if (IS_HAN.test(run)) {
        if (run.length === 1) {
          if (!long) add(run, { last, word: run });
          return;
        }
        for (let j = 0; j + 1 < run.length; j++) add(run.slice(j, j + 2), { word: run });
        return;
      }
      const { whole, parts } = split(run);
      if (!(long && (ASKING.has(whole) || ASKING.has(run.toLowerCase()) || NUMBER.test(whole) || whole.length < 2))) add(whole, { last, parts, word: run });
      // Two or three words that are one name: zero grad, im 2 col
      if (ASKING.has(run.toLowerCase())) return;
      let name = run;
      for (let j = i + 1; j < Math.min(i + 3, words.length); j++) {
        const next = words[j], before = words[j - 1];
        if (IS_HAN.test(next.run) || ASKING.has(next.run.toLowerCase()) || !/^[\s._-]{1,2}$/.test(text.slice(before.at + before.run.length, next.at))) break;
        name += next.run;
        add(stem(name.toLowerCase().replace(/_/g, "")), { optional: true, of: words.slice(i, j + 1).map((word) => split(word.run).whole) });
      }
    });
    synonyms(text, add);
    if (!asked.some((one) => !one.optional)) for (const { term, start, end } of terms(text)) add(term, { word: text.slice(start, end) });
    return asked;
  };

  // Adds what else is called so. A word that only its synonym meets is met.
  const synonyms = (text, add) => {
    const low = text.toLowerCase(), words = ` ${terms(text).map(({ term }) => term).join(" ")} `;
    const cut = new Map();
    const cuts = (member) => cut.get(member) || cut.set(member, [...new Set(terms(member).map(({ term }) => term))]).get(member);
    for (const group of SYNONYMS) {
      const said = group.filter((member) => (IS_HAN.test(member) ? member.length > 1 && low.includes(member.toLowerCase()) : words.includes(` ${cuts(member).join(" ")} `)));
      if (!said.length) continue;
      const of = said.flatMap(cuts);
      for (const member of group) if (!said.includes(member)) for (const term of cuts(member)) add(term, { optional: true, weight: TUNING.synonym / cuts(member).length, of });
    }
  };

  const BOOST = { title: 4, keywords: 3, headings: 1.6, answer: 1.5, other: 1, slug: 1.5, name: 1.5, text: 1, code: 0.8 };
  const TUNING = { section: 0.7, coverage: 1.5, keyword: 0.75, page: 0.55, example: 0.9, shows: 3.2, glossary: 0.7, errors: 0.2, synonym: 0.4, hint: 2, covered: 0.4, about: 0.15, tail: 0.04 };

  class Engine {
    constructor(index) {
      this.index = index;
      this.remembered = new Map();
      this.first = []; // the place of each page's head; its records follow
      this.places = []; // a place is a page's head, or one of its records
      const documents = [];
      index.pages.forEach((page, number) => {
        this.first.push(this.places.length);
        const answers = page.records.filter((record) => record.kind === "answer");
        const titles = page.records.map((record) => (record.kind === "error" ? "" : record.title || ""));
        this.add(documents, number, null, {
          title: page.title,
          slug: page.url.replace(/\.html$/, "").split("/").pop().replace(/-/g, " "),
          keywords: (page.keywords || []).join("\n"),
          headings: titles.join("\n"),
          answer: answers.length ? answers.map((record) => record.text).join("\n") : (page.records[0].text || ""),
          other: page.other || "",
        });
        for (const record of page.records) {
          this.add(documents, number, record, { name: record.title || "", text: record.text || "", code: record.code || "" });
        }
      });
      this.engine = new MiniSearch({ fields: Object.keys(BOOST), tokenize, processTerm: (term) => term });
      this.engine.addAll(documents);
      this.names = index.pages.map((page) => [...(page.keywords || []), page.title].map(bare).filter((word) => word.length > 1));
      this.messages = index.pages.map((page) => page.records.filter((record) => record.kind === "error").map((record) => message(record.title)));
    }

    add(documents, page, record, fields) {
      documents.push({ id: this.places.length, ...fields });
      this.places.push({ page, record });
    }

    // As found(), remembered: while a reader types, all terms but the last stay.
    lookup(one) {
      const key = `${one.term} ${one.last ? "…" : ""}${one.optional ? "?" : ""}`;
      if (this.remembered.size > 500) this.remembered.clear();
      if (!this.remembered.has(key)) this.remembered.set(key, this.found(one));
      return this.remembered.get(key);
    }

    // The places that hold a term, as [place, score] pairs, and how well it was met: 1 as it stands, less as a beginning or with a typo.
    found({ term, last, optional }) {
      const options = { boost: BOOST, prefix: false, fuzzy: false };
      const begun = last && term.length > (IS_HAN.test(term) ? 0 : 1);
      let hits = this.engine.search(term, { ...options, prefix: begun });
      let met = !hits.length ? 0 : !begun || hits.some((hit) => hit.terms.includes(term)) ? 1 : 0.9;
      if (!hits.length && !optional && term.length > 3 && /^[a-z]/.test(term)) {
        hits = this.engine.search(term, { ...options, fuzzy: term.length > 9 ? 3 : term.length > 5 ? 2 : 1 }).filter((hit) => hit.terms.some((found) => found[0] === term[0]));
        met = hits.length ? 0.6 : 0;
      }
      return { hits: hits.map((hit) => [hit.id, hit.score]), met, terms: [...new Set(hits.flatMap((hit) => hit.terms))] };
    }

    // Pages, best first, with what was met where.
    rank(query) {
      const count = this.index.pages.length;
      const heads = new Float64Array(this.places.length), marks = new Map(), missing = [];
      const asked = [];
      const wanted = parse(query), long = wanted.length > 20; // a pasted message: its words are enough
      for (const one of wanted) {
        const found = this.lookup(one);
        if (one.optional && !found.met) continue;
        asked.push({ ...one, ...found });
        // The parts of a name that stands nowhere as a whole ask for themselves.
        for (const part of (!long || !found.met) && one.parts || []) if (part.length > 1) asked.push({ term: part, weight: found.met === 1 ? 0.3 : 0.8, part: true, ...this.lookup({ term: part }) });
      }
      const scores = new Float64Array(count), covered = this.index.pages.map(() => new Map()), named = this.index.pages.map(() => new Map());
      const rarities = new Map();
      let total = 0;
      for (const one of asked) {
        const seen = new Map();
        for (const [place, score] of one.hits) {
          const { page, record } = this.places[place];
          heads[place] += score * one.weight;
          const best = seen.get(page) || [0, 0, false];
          best[record ? 1 : 0] = Math.max(best[record ? 1 : 0], score);
          if (record && (record.kind === "error" || record.kind === "term")) best[2] = true; // a message or term is a title
          seen.set(page, best);
        }
        const rarity = Math.log(1 + (count - seen.size + 0.5) / (seen.size + 0.5));
        const counts = !one.part && !one.optional;
        // A pair of characters that stands nowhere is as likely the seam of two words.
        if (counts) rarities.set(one.term, rarity);
        if (counts) total += one.met || !IS_HAN.test(one.term) ? rarity : 0.35 * rarity;
        for (const [page, [head, section, title]] of seen) {
          scores[page] += one.weight * (head + TUNING.section * section);
          // Two words that are met as one name are met.
          for (const term of one.of || (counts ? [one.term] : [])) {
            covered[page].set(term, Math.max(covered[page].get(term) || 0, one.met));
            if (head || title) named[page].set(term, Math.max(named[page].get(term) || 0, one.met));
          }
        }
        // Where the name as a whole is met, its parts need no mark.
        if (!(one.part && one.weight < 0.5)) for (const term of one.terms) marks.set(term, Math.max(marks.get(term) || 0, rarity * one.weight));
        if (counts && !one.met && !(one.parts || []).some((part) => asked.some((other) => other.term === part && other.met))) missing.push(one.word || one.term);
      }
      const typed = bare(simplified(query)), shows = query.search(SHOW) >= 0 ? TUNING.shows : HINT.test(query) ? TUNING.hint : TUNING.example, error = message(query);
      const ranked = [];
      this.index.pages.forEach((page, number) => {
        if (!scores[number]) return;
        const share = (found) => (total ? Math.min(1, [...found].reduce((sum, [term, met]) => sum + met * (rarities.get(term) || 0), 0) / total) : 1);
        const coverage = share(covered[number]), about = share(named[number]);
        let score = scores[number] * (0.25 + coverage ** TUNING.coverage);
        if (page.kind === "example") score *= shows;
        if (page.kind === "page") score *= page.url === "errors.html" ? TUNING.errors : page.url === "glossary.html" ? TUNING.glossary : TUNING.page;
        const name = this.named(number, typed);
        score *= 1 + TUNING.keyword * Math.max(name, this.raises(number, error) ? 1 : 0);
        ranked.push({ number, page, score, coverage, about, whole: name > 1 });
      });
      ranked.sort((a, b) => b.score - a.score || a.number - b.number);
      // A message that several pages raise: behind the two best of them the list that names them all.
      const list = ranked.findIndex(({ page, number }) => page.url === "errors.html" && this.raises(number, error));
      if (list > 2) ranked.splice(2, 0, ...ranked.splice(list, 1).map((one) => ({ ...one, score: ranked[1].score })));
      return { ranked, heads, marks, missing: [...new Set(missing)], asked };
    }

    // How much of the query one keyword or the title of a page makes up, 1.5 for the whole of it.
    named(number, typed) {
      let best = 0;
      for (const word of this.names[number]) {
        if (word === typed) return 1.5;
        if (typed.includes(word)) best = Math.max(best, word.length / typed.length);
      }
      return best;
    }

    // Whether a page shows the very message that was pasted, shapes and numbers aside.
    raises(number, pasted) {
      return pasted.length > 15 && this.messages[number].some((one) => one.includes(pasted) || (one.length > 15 && pasted.includes(one)));
    }

    // What a reader sees: {total, counts, weak, missing, results}, a result being {page, record, url, title, section, excerpt, code}.
    // `kind` is a kind of page (question, example, page) or of record (myth, error, term). `weak` says that no page is about the query.
    search(query, { kind = "", topic = "", limit = 30 } = {}) {
      const { ranked, heads, marks, missing, asked } = this.rank(query);
      const best = ranked.length ? ranked[0].score : 0;
      const kept = ranked.filter(({ score }) => score > best * TUNING.tail);
      const byKind = { "": kept, question: [], example: [], myth: [], error: [], term: [] };
      for (const one of kept) if (byKind[one.page.kind]) byKind[one.page.kind].push(one);
      const worth = new Map(ranked.map((one) => [one.number, one]));
      let top = { myth: 0, error: 0, term: 0 };
      this.places.forEach(({ page, record }, place) => {
        if (!record || !(record.kind in top) || !heads[place] || this.index.pages[page].url === "errors.html") return;
        const one = worth.get(page);
        if (one) byKind[record.kind].push({ ...one, record, score: heads[place] * (0.25 + one.coverage) });
      });
      for (const name in top) {
        byKind[name].sort((a, b) => b.score - a.score || a.number - b.number);
        byKind[name] = byKind[name].filter(({ score }) => score > byKind[name][0].score * 0.3);
      }
      const counts = {}, topics = {};
      for (const name in byKind) counts[name] = byKind[name].filter(({ page }) => !topic || page.topic === topic).length;
      for (const { page } of byKind[kind] || []) if (page.topic) topics[page.topic] = (topics[page.topic] || 0) + 1;
      const chosen = (byKind[kind] || []).filter(({ page }) => !topic || page.topic === topic);
      return {
        total: chosen.length,
        counts,
        topics,
        missing,
        weak: ranked.slice(0, 3).every(({ coverage, about }) => coverage < TUNING.covered || about < TUNING.about),
        words: [...new Set(asked.filter((one) => one.word && one.met).map((one) => one.word))],
        results: chosen.slice(0, limit).map((one) => this.shown(one, heads, marks)),
      };
    }

    // A result: of the page's records the one that the query fits best, and the words around the hit.
    shown({ number, page, record, score, coverage, whole }, heads, marks) {
      const answer = page.records.find((one) => one.kind === "answer") || page.records[0];
      // The query is the page's title or keyword: the answer itself.
      if (whole && page.kind === "question") record ||= answer;
      if (!record) {
        let best = 0;
        for (let place = this.first[number] + 1; place < (this.first[number + 1] ?? this.places.length); place++) {
          if (heads[place] > best) [best, record] = [heads[place], this.places[place].record];
        }
        record ||= page.records[0];
      }
      const inText = excerpt(record.text || "", marks), inCode = excerpt(record.code || "", marks, true);
      const code = inCode.worth > inText.worth && record.kind !== "error"; // whose message is the title
      const found = code ? inCode : inText.parts.length ? inText : excerpt(answer.text || "", marks);
      return {
        page, record, score, coverage, code,
        url: page.url + (record.anchor ? `#${record.anchor}` : ""),
        title: marked(page.title, marks),
        section: record.title ? marked(record.title, marks) : [],
        excerpt: found.parts,
      };
    }
  }

  const message = (text) => bare(text.replace(/^[\w.]+(?:Error|Warning|Exception|Interrupt):?/, "").replace(/\d+/g, ""));

  // The places of a text that the query met, as [start, end, worth], without overlaps.
  const places = (text, marks) => {
    const found = [];
    for (const { term, start, end } of terms(text)) {
      const worth = marks.get(term);
      if (worth === undefined) continue;
      const before = found[found.length - 1];
      if (before && start < before[1]) [before[1], before[2]] = [Math.max(before[1], end), Math.max(before[2], worth)];
      else found.push([start, end, worth, term]);
    }
    return found;
  };

  // A text cut into parts: {text, hit}.
  const marked = (text, marks, from = 0, to = text.length, found = places(text, marks)) => {
    const parts = [];
    let at = from;
    for (const [start, end] of found) {
      if (start < from || end > to) continue;
      if (start > at) parts.push({ text: text.slice(at, start) });
      parts.push({ text: text.slice(start, end), hit: true });
      at = end;
    }
    if (at < to) parts.push({ text: text.slice(at, to) });
    return parts;
  };

  // About two lines around the most telling hits of a text, a line of code for code: {parts, worth}.
  const excerpt = (text, marks, code = false) => {
    const found = places(text, marks), han = /[\u3400-\u9fff]/.test(text.slice(0, 40)), width = code ? 0 : han ? 80 : 170;
    let from = 0, worth = 0;
    found.forEach(([start], i) => {
      const end = code ? lineEnd(text, start) : start + width * 0.8;
      const seen = new Set();
      let sum = 0;
      for (let j = i; j < found.length && found[j][0] < end; j++) {
        if (!seen.has(found[j][3])) sum += found[j][2];
        seen.add(found[j][3]);
      }
      if (sum > worth) [worth, from] = [sum, start];
    });
    if (!text) return { parts: [], worth: 0 };
    if (code) {
      const start = text.lastIndexOf("\n", from) + 1;
      return { parts: marked(text, marks, start, Math.min(lineEnd(text, from), start + 200), found), worth };
    }
    // From the beginning of the sentence where it is near, or of a word.
    const before = text.slice(0, from), sentence = Math.max(before.lastIndexOf(". "), before.lastIndexOf("。"), before.lastIndexOf("\n")) + 1;
    let start = from - sentence < width / 3 ? sentence : Math.max(before.lastIndexOf(" ", from - 20), han ? from - 12 : 0, 0);
    while (/\s/.test(text[start])) start++;
    let end = Math.min(text.length, start + width);
    if (end < text.length && !han) end = Math.max(text.lastIndexOf(" ", end), start + 20);
    const parts = marked(text, marks, start, end, found);
    if (start > sentence) parts.unshift({ text: "…" });
    if (end < text.length) parts.push({ text: "…" });
    return { parts, worth };
  };

  const lineEnd = (text, at) => {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  };

  return { Engine, terms, parse, stem, split, bare, TUNING, BOOST };
})();
