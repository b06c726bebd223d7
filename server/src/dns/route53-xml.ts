// Reads and writes the XML of Route 53: change batches, record sets, errors. Finds the few elements it needs by their
// tags, in one pass, and treats everything else as text.
export interface RecordSet {
  name: string
  type: string
  ttlSeconds: number
  values: string[]
}

export interface RecordChange {
  action: 'UPSERT' | 'DELETE'
  record: RecordSet
}

export function writeChangeBatch(changes: RecordChange[]): string {
  const written = changes.map(({ action, record }) =>
    element(
      'Change',
      element('Action', action) +
        element(
          'ResourceRecordSet',
          element('Name', escapeText(record.name)) +
            element('Type', record.type) +
            element('TTL', String(record.ttlSeconds)) +
            element(
              'ResourceRecords',
              record.values.map(value => element('ResourceRecord', element('Value', escapeText(value)))).join(''),
            ),
        ),
    ),
  )
  const batch = element('ChangeBatch', element('Changes', written.join('')))
  const root = 'ChangeResourceRecordSetsRequest'
  const namespace = 'https://route53.amazonaws.com/doc/2013-04-01/'
  return `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="${namespace}">${batch}</${root}>`
}

/** The simple record sets of a list; those with routing rules or an alias were not created here and are left out. */
export function readRecordSets(xml: string): RecordSet[] {
  return contentsOf(xml, 'ResourceRecordSet')
    .filter(set => !set.includes('<AliasTarget>') && !set.includes('<SetIdentifier>'))
    .map(set => ({
      name: findText(set, 'Name') ?? '',
      type: findText(set, 'Type') ?? '',
      ttlSeconds: Number(findText(set, 'TTL')),
      values: contentsOf(set, 'Value').map(unescapeText),
    }))
}

/** The text of the first element with that name. */
export function findText(xml: string, tag: string): string | null {
  const [first] = contentsOf(xml, tag, 1)
  return first === undefined ? null : unescapeText(first)
}

function contentsOf(xml: string, tag: string, limit = 1_000): string[] {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`]
  const contents: string[] = []
  for (let at = xml.indexOf(opening); at >= 0 && contents.length < limit; at = xml.indexOf(opening, at)) {
    const start = at + opening.length
    const end = xml.indexOf(closing, start)
    if (end < 0) break
    contents.push(xml.slice(start, end))
    at = end + closing.length
  }
  return contents
}

function element(tag: string, content: string): string {
  return `<${tag}>${content}</${tag}>`
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, char => `&#${char.charCodeAt(0)};`)
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')
}
