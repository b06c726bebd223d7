// The page: conversations whose answers stream from the gateway, on another origin than this page's, with a token of
// this user. The gateway keeps the conversations as threads, so the page has no database of its own.
import { createGatewayFetch, createTokenProvider } from '@sallyport/sdk'
import { createCompletions } from '@sallyport/sdk/completions'

const find = selector => document.querySelector(selector)
const form = find('form')
const { message, send, stop } = form.elements
const alert = find('[role=alert]')

const { baseUrl } = await (await fetch('/config.json')).json()
const tokenProvider = createTokenProvider(({ isRejected }) => fetch(`/token?fresh=${isRejected}`))
const complete = createCompletions({ baseUrl, tokenProvider })
const gatewayFetch = createGatewayFetch({ baseUrl, tokenProvider })

const newId = () => [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(36)).join('-')
// In the address, so that the conversation is there again after a reload.
const threadId = () => location.hash.slice(1)
let running = null

async function ask(content) {
  running = new AbortController()
  const { signal } = running
  showRunning(true)
  addBubble('user', content)
  const bubble = addBubble('assistant', '')
  try {
    const headers = { 'X-Thread-Id': threadId() }
    const answer = await complete({ messages: [{ role: 'user', content }] }, { signal, headers })
    for await (const { text } of answer) {
      bubble.textContent += text
      bubble.scrollIntoView({ block: 'end' })
    }
  } catch (error) {
    if (signal.aborted) bubble.classList.add('stopped')
    else showError(error)
    if (bubble.textContent === '') bubble.remove()
  }
  running = null
  showRunning(false)
  await attempt(showHistory)
}

async function readThreads(path, method = 'GET') {
  const response = await gatewayFetch(`${baseUrl}/v1/threads${path}`, { method })
  if (!response.ok) throw new Error((await response.json()).error.message)
  return response.status === 204 ? null : (await response.json()).data
}

async function showHistory() {
  const threads = await readThreads('?limit=30')
  find('#history').replaceChildren(...threads.map(renderThread))
  return threads
}

function renderThread({ id, title }) {
  const item = document.createElement('li')
  const link = Object.assign(document.createElement('a'), { href: `#${id}`, textContent: title ?? 'Untitled' })
  if (id === threadId()) link.setAttribute('aria-current', 'page')
  const remove = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Delete' })
  remove.setAttribute('aria-label', `Delete ${link.textContent}`)
  remove.onclick = () =>
    attempt(async () => {
      await readThreads(`/${id}`, 'DELETE')
      if (id === threadId()) location.hash = newId()
      else await showHistory()
    })
  item.append(link, remove)
  return item
}

async function showThread() {
  running?.abort()
  alert.textContent = ''
  find('#messages').replaceChildren()
  if (threadId() === '') history.replaceState(null, '', `#${newId()}`)
  const opened = threadId()
  await attempt(async () => {
    const threads = await showHistory()
    // A conversation without a message is not kept yet.
    if (!threads.some(({ id }) => id === opened)) return
    const messages = await readThreads(`/${opened}/messages`)
    if (opened === threadId()) for (const { role, content } of messages) addBubble(role, textOf(content))
  })
}

const textOf = content => (typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join(''))

function addBubble(role, text) {
  const bubble = Object.assign(document.createElement('p'), { className: role, textContent: text })
  find('#messages').append(bubble)
  bubble.scrollIntoView({ block: 'end' })
  return bubble
}

function showRunning(isRunning) {
  send.disabled = send.hidden = isRunning
  stop.hidden = !isRunning
}

async function attempt(action) {
  try {
    await action()
  } catch (error) {
    showError(error)
  }
}

/** The gateway's own words as a sentence, and when to try again if that can help. */
function showError({ message: words, retryable, retryAfterSeconds }) {
  const sentence = /[.!?…]$/.test(words) ? words : `${words}.`
  const when = retryAfterSeconds > 0 ? `Try again in ${retryAfterSeconds} seconds.` : 'Try again.'
  alert.textContent = retryable ? `${sentence} ${when}` : sentence
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const content = message.value.trim()
  if (running !== null || content === '') return
  alert.textContent = ''
  form.reset()
  void ask(content)
})
message.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})
stop.addEventListener('click', () => running?.abort())
find('#new').addEventListener('click', () => {
  location.hash = newId()
  message.focus()
})
addEventListener('hashchange', showThread)
// Its messages scroll by the keyboard, too.
find('main').tabIndex = 0
// Wide windows show the history, phones fold it.
find('details').open = matchMedia('(min-width: 50rem)').matches
await showThread()
form.dataset.ready = 'true'
