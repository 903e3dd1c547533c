"use strict";
(function () {
  var doc = document;
  function all(what, from) {
    return Array.prototype.slice.call((from || doc).querySelectorAll(what));
  }
  function on(id, event, run) {
    var node = doc.getElementById(id);
    if (node) node.addEventListener(event, run);
    return node;
  }
  var bar = doc.getElementById("tools");
  if (bar) bar.hidden = false;
  var count = doc.getElementById("count");
  function say(text) { if (count) count.textContent = text; }

  // Opens what is around a message, so that a link to it leads somewhere.
  function reveal(node) {
    for (var at = node; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      if (at.hidden && at !== bar) at.hidden = false;
    }
  }
  function follow() {
    var id = location.hash.slice(1);
    var node = id && doc.getElementById(id);
    if (!node) return;
    reveal(node);
    node.scrollIntoView();
    // What is above it may get another height when it is drawn.
    setTimeout(function () { node.scrollIntoView(); }, 100);
  }
  addEventListener("hashchange", follow);
  follow();

  // Expand all, and back.
  var opened = false;
  on("expand", "click", function () {
    opened = !opened;
    unfolded = [];
    all("#transcript details").forEach(function (d) { d.open = opened; });
    this.textContent = opened ? "Collapse all" : "Expand all";
    this.setAttribute("aria-pressed", String(opened));
  });

  // Search: turns and rows without the words are hidden, and the words are
  // marked. Folds that it opened are closed again.
  var waiting, unfolded = [], places = [], place = -1, most = 5000;
  function mark(name, ranges) {
    if (!window.Highlight || !CSS.highlights) return;
    var marks = new Highlight();
    ranges.forEach(function (range) { marks.add(range); });
    CSS.highlights.set(name, marks);
  }
  function find(part, words) {
    var walker = doc.createTreeWalker(part, NodeFilter.SHOW_TEXT), node;
    while (places.length < most && (node = walker.nextNode())) {
      var text = node.data.toLowerCase(), from = 0;
      // A character may get longer: then its place is not known.
      if (text.length !== node.data.length) continue;
      while ((from = text.indexOf(words, from)) >= 0) {
        var range = doc.createRange();
        range.setStart(node, from);
        range.setEnd(node, from += words.length);
        places.push(range);
      }
    }
  }
  function search(words) {
    words = words.toLowerCase().trim();
    unfolded.forEach(function (d) { d.open = false; });
    unfolded = [];
    places = [];
    place = -1;
    var parts = all("#transcript .turn, #sessions tbody tr"), found = 0;
    parts.forEach(function (part) {
      var has = !words ||
        part.textContent.toLowerCase().indexOf(words) >= 0;
      part.hidden = !has;
      if (!has || !words) return;
      found++;
      all("details:not([open])", part).forEach(function (d) {
        if (d.textContent.toLowerCase().indexOf(words) < 0) return;
        d.open = true;
        unfolded.push(d);
      });
      find(part, words);
    });
    mark("found", places);
    mark("current", []);
    var many = places.length < most ? places.length : "over " + most;
    var where = found + " of " + parts.length;
    // Words over several elements are found, but not marked.
    say(!words ? "" : places.length ? many + " in " + where : where);
  }
  function go(step) {
    if (!places.length) return;
    place = place < 0 ? 0 : (place + step + places.length) % places.length;
    var range = places[place], node = range.startContainer.parentElement;
    reveal(node);
    function center() {
      var box = range.getBoundingClientRect();
      scrollTo(0, scrollY + box.top - innerHeight / 2);
    }
    center();
    // What is above it may get another height when it is drawn.
    setTimeout(center, 100);
    mark("current", [range]);
    say(place + 1 + " of " + places.length);
  }
  var box = on("search", "input", function () {
    clearTimeout(waiting);
    waiting = setTimeout(function () { search(box.value); }, 150);
  });

  // Sorting by a column: its cells have the value to sort by, if that is not
  // their text.
  function key(row, at) {
    var cell = row.cells[at];
    if (!cell) return "";
    var value = cell.getAttribute("data-v");
    return value === null ? cell.textContent.toLowerCase() : Number(value);
  }
  all("table.sort").forEach(function (table) {
    var body = table.tBodies[0];
    all("thead th", table).forEach(function (head, at) {
      var button = doc.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach(function (other) {
          other.removeAttribute("aria-sort");
        });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = all("tr", body).map(function (row, n) {
          return [key(row, at), n, row];
        });
        rows.sort(function (a, b) {
          var order = a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
          return (down ? -order : order) || a[1] - b[1];
        });
        rows.forEach(function (row) { body.appendChild(row[2]); });
      });
    });
  });

  // j and k: the next and the previous turn. /: search. Enter: the next match.
  var current = -1;
  doc.addEventListener("keydown", function (event) {
    var tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (tag === "INPUT") {
      if (event.key === "Escape") { box.value = ""; search(""); box.blur(); }
      if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
      return;
    }
    if (event.key === "/" && box) { event.preventDefault(); box.focus(); }
    var step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
    if (!step) return;
    var turns = all("#transcript .turn:not([hidden])");
    if (!turns.length) return;
    current = Math.max(0, Math.min(turns.length - 1, current + step));
    turns[current].tabIndex = -1;
    turns[current].scrollIntoView();
    turns[current].focus({ preventScroll: true });
  });

  // A printed page is complete to the reader, as far as it is open.
  doc.documentElement.setAttribute("data-ready", "");
})();
