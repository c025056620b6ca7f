// Send a reader to their language. Without JavaScript the page's links do.
location.replace(/^zh\b/i.test(navigator.language || "") ? "zh_CN/index.html" : "en/index.html");
