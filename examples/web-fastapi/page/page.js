const $ = (id) => document.getElementById(id), video = "videos/" + (location.search.slice(1) || "first");
// What the page knows of each comment, with its elements, and of each user.
const shown = new Map(), users = {};
const me = sessionStorage.me ?? ""; // the sign-in of your program stands here
let seen = -1n, turn;

// Texts become text nodes, so that the markup of a user stays text.
function el(tag, props, ...children) {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  return element;
}

// Returns the answer, or null after an error, which the page shows.
async function call(method, path, body) {
  const options = { method, headers: { "content-type": "application/json", "x-member": me } };
  if (method !== "GET") options.body = JSON.stringify(body ?? {});
  const response = await fetch("/api/" + path, options).catch(() => null);
  const answer = await response?.json().catch(() => null);
  $("error").textContent = response?.ok ? "" : answer?.detail ?? "The server cannot be reached. Please try again.";
  return response?.ok ? answer : null;
}

function form(label, path, sent) {
  const text = el("textarea", { placeholder: label, ariaLabel: label }), button = el("button", {}, "Send");
  const onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true; // two clicks are one comment
    const comment = await call("POST", path, { text: text.value });
    button.disabled = false;
    if (!comment) return;
    text.value = "";
    sent();
    arrive(draw(comment));
  };
  return el("form", { onsubmit }, text, button);
}

// Draws comments, and returns what the page has of each.
function take({ comments, users: authors, liked }) {
  Object.assign(users, authors);
  return comments.map((c) => draw(c.id in liked ? { ...c, liked: liked[c.id] } : c));
}

function draw(news) { // makes the elements of a comment, or brings them up to date
  const part = (className) => el("div", { className });
  const at = shown.get(news.id) ?? { card: part("card"), answer: part("answer"), replies: part("replies") };
  // What is older than what the page shows is left out.
  if (news.revision && at.c && BigInt(news.revision) < BigInt(at.c.revision)) return at;
  at.node ??= el("article", { id: "c" + news.id }, at.card, at.answer, at.replies);
  shown.set(news.id, at);
  const c = (at.c = { ...at.c, ...news }), path = "comments/" + c.id;
  const { name, color } = users[c.memberId] ?? { name: "Someone", color: "#71717a" };
  const time = new Date(c.createTime).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const act = (className, label, onclick) => el("button", { className, onclick }, label);
  const ask = (method, end, body) => async () => draw({ id: c.id, ...(await call(method, path + end, body)) });
  const close = () => at.answer.replaceChildren();
  const reply = () => at.answer.replaceChildren(form("Reply to " + name, path + "/replies", close));
  const gone = { HIDDEN: "Hidden by a moderator", PENDING: "It waits for review." }[c.state.slice(14)] ?? "Deleted";
  at.card.replaceChildren(...(c.state !== "COMMENT_STATE_ACTIVE" ? [el("p", { className: "gone" }, gone)] : [
    el("span", { className: "avatar", style: "background:" + color }, name[0]), el("b", {}, name),
    el("small", {}, " · " + time), el("p", { className: "text", dir: "auto" }, c.content.text),
    act(c.liked ? "like liked" : "like", "♥ " + c.likeCount, ask("PUT", "/like", { liked: !c.liked })),
    act("reply", "Reply", reply), c.memberId === me ? act("delete", "Delete", ask("DELETE", "")) : "",
    users[me]?.moderator ? act("hide", "Hide", ask("POST", "/hide")) : ""]));
  return at;
}

function place({ c, node }, first) {
  const root = c.rootId === "0", box = root ? $("list") : shown.get(c.rootId)?.replies;
  if (root && node.isConnected) return; // a later page has what stands here already
  if (first && root) box.prepend(node);
  else box?.append(node);
}

// A comment that was just made.
const arrive = (at) => /_(ACTIVE|PENDING)$/.test(at.c.state) && !at.node.isConnected && place(at, true);

function count(news) {
  seen = BigInt(news.revision);
  $("count").textContent = news.count + (news.count === 1 ? " comment" : " comments");
}

async function load(box = $("list"), path = video + "/comments", token = "") { // a page of comments
  const page = await call("GET", `${path}?page_token=${encodeURIComponent(token)}`);
  if (!page) return false;
  if (page.me) users[me] = page.me;
  if (box.id && !token) shown.clear(), box.replaceChildren(), count(page);
  take(page).forEach((at) => place(at, false));
  if (page.next) further(box, path, page.next, "Show more");
  for (const [id, next] of Object.entries(page.more ?? {})) {
    const { c, replies } = shown.get(id); // a comment that was just made comes without its replies
    const all = next || c.replyCount > replies.childElementCount;
    if (all) further(replies, `comments/${id}/replies`, next, `All replies (${c.replyCount})`);
  }
  return true;
}

function further(box, path, token, label) { // the button for the next page
  const onclick = async () => (await load(box, path, token)) && button.remove();
  const button = box.appendChild(el("button", { className: "more", onclick }, label));
}

async function hear(event) { // a page of another revision than the stream is loaded again
  const opened = BigInt(event.opened ?? seen);
  if (opened !== seen) await load();
  for (; opened > seen; await load()) await new Promise((go) => setTimeout(go, 500));
  if (event.comments) take(event).filter((at) => event.made[at.c.id]).forEach(arrive), count(event);
}

function listen() {
  const events = new EventSource(`/api/${video}/events`);
  events.onopen = () => ($("live").className = "on");
  events.onmessage = ({ data }) => (turn = turn.then(() => hear(JSON.parse(data))));
  events.onerror = () => { // the browser connects again by itself, but not after a refusal
    $("live").className = "";
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  };
}

$("me").value = me;
$("me").onchange = () => ((sessionStorage.me = $("me").value), location.reload());
$("top").append(form("Write a comment", video + "/comments", () => {}));
turn = load();
listen();
