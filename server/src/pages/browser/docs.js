// The script of the documentation: suggestions below the search field, copy buttons, and the list of pages that narrow
// screens fold. The pages work without it.

/** @typedef {{url: string, page: string, title: string, excerpt: string}} Hit */

const typingPauseMs = 120
const copiedForMs = 2000

/**
 * @template {HTMLElement} T
 * @param {string} selector
 * @param {{new (): T}} type
 * @returns {T}
 */
function find(selector, type) {
  const found = document.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`)
  return found
}

const form = find('form[role=search]', HTMLFormElement)
const input = find('#q', HTMLInputElement)
const results = find('#results', HTMLElement)
const status = document.createElement('p')
status.className = 'hidden'
status.setAttribute('role', 'status')
document.body.append(status)

/** @param {Hit} hit */
function renderHit(hit) {
  const link = document.createElement('a')
  link.href = hit.url
  const title = document.createElement('b')
  title.textContent = hit.title === hit.page ? hit.page : `${hit.page}: ${hit.title}`
  const excerpt = document.createElement('span')
  excerpt.textContent = hit.excerpt
  link.append(title, excerpt)
  return link
}

/** @param {string} query */
function linkToAll(query) {
  const link = document.createElement('a')
  link.href = `${form.action}?${new URLSearchParams({ q: query })}`
  link.textContent = 'All results'
  return link
}

async function suggest() {
  const query = input.value
  if (query.trim() === '') {
    results.hidden = true
    return
  }
  const response = await fetch(`${form.action}.json?${new URLSearchParams({ q: query })}`)
  if (!response.ok) throw new Error(`The search answered with ${response.status}`)
  /** @type {{hits: Hit[]}} */
  const { hits } = await response.json()
  // The query may have changed meanwhile.
  if (query !== input.value) return
  if (hits.length > 0) results.replaceChildren(...hits.map(renderHit), linkToAll(query))
  else results.textContent = 'Nothing found.'
  status.textContent = hits.length === 0 ? 'Nothing found.' : `${hits.length} suggestions`
  results.hidden = false
  results.dataset['query'] = query
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause
input.addEventListener('input', () => {
  clearTimeout(pause)
  pause = setTimeout(suggest, typingPauseMs)
})

/** @param {1 | -1} step */
function moveThroughResults(step) {
  /** @type {HTMLElement[]} */
  const places = [input, ...results.querySelectorAll('a')]
  const active = document.activeElement
  const index = active instanceof HTMLElement ? places.indexOf(active) : -1
  places[(index + step + places.length) % places.length]?.focus()
}

form.addEventListener('keydown', event => {
  if (results.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
  event.preventDefault()
  moveThroughResults(event.key === 'ArrowDown' ? 1 : -1)
})
form.addEventListener('focusout', event => {
  if (!(event.relatedTarget instanceof Node && form.contains(event.relatedTarget))) results.hidden = true
})
document.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !results.hidden) {
    results.hidden = true
    input.focus()
  }
  if (event.key === '/' && document.activeElement === document.body) {
    event.preventDefault()
    input.focus()
  }
})

/**
 * Pages that are not served over HTTPS have no clipboard: the code is selected instead.
 * @param {HTMLElement} code
 */
async function copy(code) {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return 'Copied'
  }
  getSelection()?.selectAllChildren(code)
  return 'Selected'
}

/** @param {HTMLPreElement} block */
function addCopyButton(block) {
  const frame = document.createElement('div')
  frame.className = 'code'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const done = await copy(block)
    button.textContent = done
    status.textContent = done
    setTimeout(() => {
      button.textContent = 'Copy'
    }, copiedForMs)
  })
  block.replaceWith(frame)
  frame.append(block, button)
}
for (const block of document.querySelectorAll('pre')) addCopyButton(block)

// Wide screens show the list of pages, narrow ones fold it.
const list = document.querySelector('nav details')
const wide = matchMedia('(min-width: 56rem)')
const fold = () => list?.toggleAttribute('open', wide.matches)
wide.addEventListener('change', fold)
fold()
