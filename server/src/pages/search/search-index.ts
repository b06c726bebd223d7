// Finds sections of the documentation by the words of a query: other forms of a word, synonyms and misspelt words count
// too, and not every word has to be there.
import { synonymsOf } from './synonyms.ts'
import { distanceOf, stemOf, tellingWords, wordsOf } from './words.ts'

/** One section of a page. */
export interface SearchRow {
  url: string
  page: string
  title: string
  text: string
  /** What excerpts are of, if not of the text. */
  summary?: string
  /** Below 1 for pages that readers rarely look for. */
  weight: number
}

export interface Hit extends Pick<SearchRow, 'url' | 'page' | 'title'> {
  excerpt: string
}

export interface Found {
  hits: Hit[]
  /** What a word was taken for that no page contains. */
  corrections: { from: string; to: string }[]
}

export interface SearchIndex {
  search(query: string): Found
}

/** What one word adds to a section if it occurs there, from 0 to 1 for each place. */
interface Posting {
  row: number
  isInTitle: boolean
  isInPage: boolean
  count: number
}

/** A word of the pages that stands for a word of the query, and how well. */
interface Match {
  word: string
  quality: number
}

interface Term {
  matches: Match[]
  correction: string | null
}

const maxQueryLength = 200
const maxTerms = 12
const maxHits = 30
const maxCorrections = 6
/** Sections with less of the query's weight are left out. */
const minCoverage = 0.45
const quality = { exact: 1, corrected: 0.9, form: 0.7, synonym: 0.5 }
const points = { title: 12, page: 6, phraseInTitle: 20, phrase: 16, longPhrase: 40 }
const firstSectionFactor = 1.6
const maxCount = 5
const longPhraseWords = 3
/** Joined words are taken apart into parts that are at least so long, and in so many sections. */
const minPart = 3
const minSections = 3

/** What the sections contain, prepared for queries. */
interface Contents {
  rows: readonly SearchRow[]
  /** The words of titles and texts, one space between each, for phrases. */
  phrases: { title: string; text: string }[]
  postings: ReadonlyMap<string, Posting[]>
  /** All words, sorted. */
  vocabulary: readonly string[]
}

export function createSearchIndex(rows: readonly SearchRow[]): SearchIndex {
  const postings = indexWords(rows)
  const phrases = rows.map(({ title, text }) => ({
    title: ` ${wordsOf(title).join(' ')} `,
    text: ` ${wordsOf(text).join(' ')} `,
  }))
  const contents: Contents = { rows, phrases, postings, vocabulary: [...postings.keys()].sort() }
  return { search: query => search(contents, query.slice(0, maxQueryLength)) }
}

function search(contents: Contents, query: string): Found {
  const words = tellingWords(query)
    .flatMap(word => splitJoined(word, contents))
    .slice(0, maxTerms)
  const terms = findTerms(words, contents)
  const total = terms.reduce((sum, { matches }) => sum + rarityOf(matches, contents), 0)
  const ranked = [...scoreRows(terms, contents)].filter(([, { weight }]) => weight >= minCoverage * total)
  const hits = ranked.map(([index, score]) => {
    const inPhrases =
      phrasePoints(contents.phrases[index], wordsOf(query)) + phrasePoints(contents.phrases[index], words)
    const coverage = score.weight / total
    return { index, rank: (score.points + inPhrases) * coverage ** 2 * factorOf(contents.rows[index], terms) }
  })
  hits.sort((a, b) => b.rank - a.rank || a.index - b.index)
  const shown = [query.trim().toLowerCase(), ...terms.flatMap(({ matches }) => matches.map(({ word }) => word))]
  return {
    hits: hits
      .slice(0, maxHits)
      .flatMap(({ index }) => contents.rows[index] ?? [])
      .map(row => toHit(row, shown)),
    corrections: terms.flatMap(({ correction }, index) =>
      correction === null ? [] : [{ from: words[index] ?? '', to: correction }],
    ),
  }
}

/** The beginning of a page counts more if the page is named by a word of the query. */
function factorOf(row: SearchRow | undefined, terms: readonly Term[]): number {
  if (row === undefined) return 0
  const named = new Set(wordsOf(row.title))
  const isNamed = !row.url.includes('#') && terms.every(({ matches }) => matches.some(({ word }) => named.has(word)))
  return row.weight * (isNamed ? firstSectionFactor : 1)
}

/** More for words of few sections. */
function rarityOf(matches: readonly Match[], { rows, postings }: Contents): number {
  const most = Math.max(0, ...matches.map(({ word }) => postings.get(word)?.length ?? 0))
  return 1 + Math.log((rows.length + 1) / (most + 1))
}

function scoreRows(terms: readonly Term[], contents: Contents): Map<number, { points: number; weight: number }> {
  const scores = new Map<number, { points: number; weight: number }>()
  for (const { matches } of terms) {
    const rarity = rarityOf(matches, contents)
    for (const [row, best] of bestOfRows(matches, contents.postings)) {
      const score = scores.get(row) ?? { points: 0, weight: 0 }
      scores.set(row, { points: score.points + best.points * rarity, weight: score.weight + best.quality * rarity })
    }
  }
  return scores
}

function phrasePoints(
  { title, text }: Contents['phrases'][number] = { title: '', text: '' },
  words: readonly string[],
) {
  if (words.length < 2) return 0
  const phrase = ` ${words.join(' ')} `
  const inText = words.length >= longPhraseWords ? points.longPhrase : points.phrase
  return (title.includes(phrase) ? points.phraseInTitle : 0) + (text.includes(phrase) ? inText : 0)
}

function indexWords(rows: readonly SearchRow[]): Map<string, Posting[]> {
  const postings = new Map<string, Posting[]>()
  rows.forEach((row, index) => {
    const places = new Map<string, Posting>()
    const take = (text: string, note: (posting: Posting) => void) => {
      for (const word of wordsOf(text)) {
        const posting = places.get(word) ?? { row: index, isInTitle: false, isInPage: false, count: 0 }
        note(posting)
        places.set(word, posting)
      }
    }
    take(row.title, posting => {
      posting.isInTitle = true
    })
    take(row.page, posting => {
      posting.isInPage = true
    })
    take(row.text, posting => {
      posting.count++
    })
    for (const [word, posting] of places) {
      const known = postings.get(word)
      if (known === undefined) postings.set(word, [posting])
      else known.push(posting)
    }
  })
  return postings
}

/** For each section the match that adds most; several forms of one word do not add up. */
function bestOfRows(matches: readonly Match[], postings: ReadonlyMap<string, Posting[]>) {
  const best = new Map<number, { points: number; quality: number }>()
  for (const { word, quality: matchQuality } of matches) {
    for (const { row, isInTitle, isInPage, count } of postings.get(word) ?? []) {
      const inPlaces = (isInTitle ? points.title : 0) + (isInPage ? points.page : 0) + Math.min(count, maxCount)
      const before = best.get(row)
      best.set(row, {
        points: Math.max(before?.points ?? 0, inPlaces * matchQuality),
        quality: Math.max(before?.quality ?? 0, matchQuality),
      })
    }
  }
  return best
}

function findTerms(words: readonly string[], { vocabulary, postings }: Contents): Term[] {
  let corrections = 0
  return words.map((word): Term => {
    const matches = [
      ...withPrefix(vocabulary, word).map(found => ({
        word: found,
        quality: found === word ? quality.exact : quality.form,
      })),
      ...withPrefix(vocabulary, stemOf(word)).map(found => ({ word: found, quality: quality.form })),
    ]
    const others = synonymsOf(word).flatMap(other =>
      withPrefix(vocabulary, stemOf(other)).map(found => ({ word: found, quality: quality.synonym })),
    )
    if (matches.length > 0 || others.length > 0) return { matches: [...matches, ...others], correction: null }
    if (corrections++ >= maxCorrections) return { matches: [], correction: null }
    return correct(word, vocabulary, postings)
  })
}

/** `ratelimit` as `rate` and `limit`; other words as they are. */
function splitJoined(word: string, { vocabulary, postings }: Contents): string[] {
  if (withPrefix(vocabulary, word).length > 0 || synonymsOf(word).length > 0) return [word]
  const isUsual = (part: string) => (postings.get(part)?.length ?? 0) >= minSections
  for (let at = minPart; at <= word.length - minPart; at++) {
    const parts = [word.slice(0, at), word.slice(at)]
    if (parts.every(isUsual)) return parts
  }
  return [word]
}

/** The known word that is most like an unknown one; of equals, the one that more sections contain. */
function correct(word: string, vocabulary: readonly string[], postings: ReadonlyMap<string, Posting[]>): Term {
  const most = word.length >= 7 ? 2 : word.length >= 4 ? 1 : 0
  let best = { word: '', distance: most + 1, sections: 0 }
  for (const known of most === 0 ? [] : vocabulary) {
    // Hardly anybody misspells a word's first letter, other than by swapping it with the second.
    if (known[0] !== word[0] && known[1] !== word[0]) continue
    const distance = distanceOf(word, known, Math.min(most, best.distance))
    const sections = postings.get(known)?.length ?? 0
    if (distance < best.distance || (distance === best.distance && distance <= most && sections > best.sections)) {
      best = { word: known, distance, sections }
    }
  }
  if (best.distance > most) return { matches: [], correction: null }
  const forms = withPrefix(vocabulary, stemOf(best.word))
  return { matches: forms.map(form => ({ word: form, quality: quality.corrected })), correction: best.word }
}

/** The words of a sorted list that begin so; of very short beginnings, only the word itself. */
function withPrefix(vocabulary: readonly string[], prefix: string): string[] {
  let low = 0
  let high = vocabulary.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((vocabulary[middle] ?? '') < prefix) low = middle + 1
    else high = middle
  }
  const found: string[] = []
  for (let index = low; vocabulary[index]?.startsWith(prefix); index++) found.push(vocabulary[index] ?? '')
  return prefix.length < 3 ? found.filter(word => word === prefix) : found
}

const excerptBefore = 40
const excerptLength = 180

/** Shows the first of the words that the text contains. */
function toHit({ url, page, title, text: whole, summary: text = whole }: SearchRow, words: readonly string[]): Hit {
  const lower = text.toLowerCase()
  const place = words.map(word => lower.indexOf(word)).find(found => found >= 0) ?? 0
  const start = place <= excerptBefore ? 0 : startOfWord(text, place - excerptBefore, place)
  const end = start + excerptLength
  const excerpt = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return { url, page, title, excerpt: `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}` }
}

/** The start of the first word after `from`, so that an excerpt does not begin within one. */
function startOfWord(text: string, from: number, before: number): number {
  const gap = text.slice(from, before).search(/\s/)
  return gap < 0 ? from : from + gap + 1
}
