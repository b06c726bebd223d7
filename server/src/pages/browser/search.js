// The search of the documentation: fetches the index at the first keystroke and ranks the sections in the browser.

/** @typedef {{url: string, page: string, title: string, text: string}} Row */
/** @typedef {Row & {words: {page: string, title: string, text: string}}} Prepared */

const maxResults = 8
const excerptBefore = 40
const excerptLength = 160

/** @param {string} text */
const normalise = text => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')

/** @param {Row[]} rows */
function prepare(rows) {
  return rows.map(row => ({
    ...row,
    words: { page: ` ${normalise(row.page)}`, title: ` ${normalise(row.title)}`, text: ` ${normalise(row.text)}` },
  }))
}

/**
 * Every word of the query must begin a word of the section; titles count most, then the whole phrase, then repetitions.
 * @param {Prepared} row
 * @param {string[]} words
 */
function score({ words: { page, title, text } }, words) {
  let total = 0
  for (const word of words) {
    const start = ` ${word}`
    const count = text.split(start).length - 1
    const found = (title.includes(start) ? 12 : 0) + (page.includes(start) ? 6 : 0) + Math.min(count, 5)
    if (found === 0) return 0
    total += found
  }
  const phrase = ` ${words.join(' ')}`
  return total + (words.length > 1 && title.includes(phrase) ? 20 : 0) + (text.includes(phrase) ? 6 : 0)
}

/**
 * @param {Prepared[]} rows
 * @param {string} query
 */
function search(rows, query) {
  const words = normalise(query).trim().split(' ').filter(Boolean)
  if (words.length === 0) return []
  return rows
    .map(row => ({ row, rank: score(row, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, maxResults)
    .map(({ row }) => row)
}

/**
 * @param {Row} row
 * @param {string} query
 */
function excerptOf({ text }, query) {
  const [word = ''] = query.trim().toLowerCase().split(/\s+/)
  const at = Math.max(0, text.toLowerCase().indexOf(word) - excerptBefore)
  return (at > 0 ? '…' : '') + text.slice(at, at + excerptLength).replace(/\s+/g, ' ')
}

/**
 * @param {Row} row
 * @param {string} query
 */
function renderResult(row, query) {
  const link = document.createElement('a')
  link.href = row.url
  const title = document.createElement('b')
  title.textContent = row.title === row.page ? row.page : `${row.page}: ${row.title}`
  const excerpt = document.createElement('span')
  excerpt.textContent = excerptOf(row, query)
  link.append(title, excerpt)
  return link
}

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

/** @type {Promise<Prepared[]> | undefined} */
let index
const loadIndex = () => {
  index ??= fetch(form.dataset['index'] ?? '').then(async response => prepare(await response.json()))
  return index
}

async function update() {
  const query = input.value
  const found = search(await loadIndex(), query)
  // The query may have changed while the index was loading.
  if (query !== input.value) return
  results.hidden = query.trim() === ''
  if (found.length > 0) results.replaceChildren(...found.map(row => renderResult(row, query)))
  else results.textContent = 'Nothing found.'
  results.dataset['query'] = query
}

input.addEventListener('input', () => void update())
form.addEventListener('submit', event => {
  event.preventDefault()
  const first = results.querySelector('a')
  if (first !== null) location.assign(first.href)
})
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') results.hidden = true
  if (event.key === '/' && document.activeElement === document.body) {
    event.preventDefault()
    input.focus()
  }
})

// Wide screens show the list of pages, narrow ones fold it.
const list = document.querySelector('nav details')
const wide = matchMedia('(min-width: 56rem)')
const fold = () => list?.toggleAttribute('open', wide.matches)
wide.addEventListener('change', fold)
fold()
