const $ = (id) => document.getElementById(id), video = "videos/" + (location.search.slice(1) || "first");
// What the page knows of each comment, with its elements, and of each user.
const shown = new Map(), users = {};
let seen = -1n, turn;

// Texts become text nodes, so that the markup of a user stays text.
function el(tag, props, ...children) {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
}

// Returns the answer, or null after an error, which the page shows.
async function call(method, path, body) {
  const options = { method, headers: { "content-type": "application/json" }, body: body && JSON.stringify(body) };
  const response = await fetch("/api/" + path, options).catch(() => null);
  const answer = await response?.json().catch(() => null);
  const unreachable = { detail: "The server cannot be reached. Please try again." };
  $("error").textContent = response?.ok ? "" : (answer ?? unreachable).detail;
  return response?.ok ? answer : null;
}

function form(label, path, sent) {
  const text = el("textarea", { placeholder: label, ariaLabel: label }), button = el("button", {}, "Send");
  const onsubmit = async (event) => {
    event.preventDefault();
    button.disabled = true; // two clicks are one comment
    const made = await call("POST", path, { text: text.value });
    button.disabled = false;
    if (made) (text.value = ""), sent(), take(made).forEach(arrive);
  };
  return el("form", { onsubmit }, text, button);
}

function take(answer) { // draws the comments of an answer, and answers what the page has of each
  Object.assign(users, answer.users);
  return answer.comments.map((c) => draw(c.id in (answer.liked ?? {}) ? { ...c, liked: answer.liked[c.id] } : c));
}

function draw(news) { // makes the elements of a comment, or brings them up to date
  const part = (className) => el("div", { className });
  const at = shown.get(news.id) ?? { card: part("card"), answer: part("answer"), replies: part("replies") };
  // What is older than what the page shows is left out.
  if (news.revision && at.c && BigInt(news.revision) < BigInt(at.c.revision)) return at;
  at.node ??= el("article", { id: "c" + news.id }, at.card, at.answer, at.replies);
  shown.set(news.id, at);
  const c = (at.c = { ...at.c, ...news }), path = "comments/" + c.id, active = c.state === "COMMENT_STATE_ACTIVE";
  const { id, name, color } = users[c.memberId] ?? { name: "Someone", color: "#71717a" };
  const time = new Date(c.createTime).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const act = (className, label, onclick) => el("button", { className, onclick }, label);
  const like = async () => draw({ id: c.id, ...(await call("PUT", path + "/like", { liked: !c.liked })) });
  const away = (method, end) => async () => take((await call(method, path + end)) ?? { comments: [] });
  const close = () => at.answer.replaceChildren();
  const reply = () => at.answer.replaceChildren(form("Reply to " + name, path + "/replies", close));
  const gone = c.state === "COMMENT_STATE_HIDDEN" ? "Hidden by a moderator" : "Deleted";
  at.card.replaceChildren(...(!active ? [el("p", { className: "gone" }, gone)] : [
    el("span", { className: "avatar", style: "background:" + color }, name[0]), el("b", {}, name),
    el("small", {}, " · " + time), el("p", { className: "text", dir: "auto" }, c.content.text),
    act(c.liked ? "like liked" : "like", "♥ " + c.likeCount, like), act("reply", "Reply", reply),
    id && id === me ? act("delete", "Delete", away("DELETE", "")) : "",
    users[me]?.moderator ? act("hide", "Hide", away("POST", "/hide")) : ""]));
  return at;
}

function place({ c, node }, first) {
  const box = c.rootId === "0" ? $("list") : shown.get(c.rootId)?.replies;
  if (first && c.rootId === "0") box.prepend(node);
  else box?.append(node);
}

function arrive(at) { // a comment that was just made
  if (at.c.state === "COMMENT_STATE_ACTIVE" && !at.node.isConnected) place(at, true);
}

function count(news) {
  seen = BigInt(news.revision);
  $("count").textContent = news.count + (news.count === 1 ? " comment" : " comments");
}

async function load(box = $("list"), path = video + "/comments", token = "") { // a page of comments
  const page = await call("GET", `${path}?page_token=${encodeURIComponent(token)}`);
  if (!page) return false;
  if (box.id && !token) shown.clear(), box.replaceChildren(), count(page);
  take(page).forEach((at) => place(at, false));
  if (page.next) further(box, path, page.next, "Show more");
  for (const [id, next] of Object.entries(page.more ?? {})) {
    const { c, replies } = shown.get(id); // a comment that was just made comes without its replies
    const all = next || c.replyCount > replies.childElementCount;
    if (all) further(replies, `comments/${id}/replies`, next, `Show all ${c.replyCount} replies`);
  }
  return true;
}

function further(box, path, token, label) { // the button for the next page
  const onclick = async () => (await load(box, path, token)) && button.remove();
  const button = box.appendChild(el("button", { className: "more", onclick }, label));
}

async function hear(event) { // a page that is older than the stream is loaded again
  for (; BigInt(event.opened ?? -1) > seen; await new Promise((go) => setTimeout(go, 500))) await load();
  const made = take({ comments: [], ...event }).filter((at) => event.made?.includes(at.c.id));
  made.forEach(arrive);
  if (event.revision) count(event);
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

const me = document.cookie.match(/member=(\w+)/)?.[1];
Object.assign(users, await call("GET", "users"));
for (const { id, name } of Object.values(users)) $("me").append(new Option(name, id, false, id === me));
$("me").onchange = () => { // stands for the sign-in of your program
  document.cookie = `member=${$("me").value}; path=/; SameSite=Strict`;
  location.reload();
};
$("top").append(form("Write a comment", video + "/comments", () => {}));
turn = load();
listen();
