// What the tagger says of sentences that it was not trained on: names and places in prose, records, mail and addresses,
// in any case, and technical texts that have none.
import { expect, test } from 'vitest'
import { confidenceThreshold } from '../../../../src/guardrails/finding.ts'
import { tagNames } from '../../../../src/guardrails/pii/tagger/tag-names.ts'

function find(text: string): string[] {
  const sure = tagNames(text).filter(({ score }) => score >= confidenceThreshold)
  return sure.map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

test.each([
  ['Please forward the contract to Margarethe Lindqvist before noon.', ['PERSON Margarethe Lindqvist']],
  ['my name is hedda brandvold and i live in tromso', ['PERSON hedda brandvold', 'LOCATION tromso']],
  ['table for two under kowalczyk', ['PERSON kowalczyk']],
  ['hi this is keisha from the billing team', ['PERSON keisha']],
  ['THIS IS RAYMOND FELDMAN SPEAKING FROM CLEVELAND', ['PERSON RAYMOND FELDMAN', 'LOCATION CLEVELAND']],
  ['Kind regards,\nNiamh', ['PERSON Niamh']],
  ['The factory moved from Gdańsk to Leipzig last year.', ['LOCATION Gdańsk', 'LOCATION Leipzig']],
  ['flights from osaka to reykjavik in may', ['LOCATION osaka', 'LOCATION reykjavik']],
  ['Meeting with Fatima al-Zahrawi on Friday', ['PERSON Fatima al-Zahrawi']],
  ['Cc: Mateusz Wrona; Ilse van der Berg', ['PERSON Mateusz Wrona', 'PERSON Ilse van der Berg']],
])('finds who and where in %j', (text, wanted) => {
  expect(find(text)).toEqual(wanted)
})

test.each([
  [
    '{"guest":{"first_name":"Anneliese","last_name":"Vogt"},"city":"Graz"}',
    ['PERSON Anneliese', 'PERSON Vogt', 'LOCATION Graz'],
  ],
  [
    'name,town,amount\nPriyanka Deshmukh,Nagpur,12\nOwen Gallagher,Lyon,40',
    ['PERSON Priyanka Deshmukh', 'LOCATION Nagpur', 'PERSON Owen Gallagher', 'LOCATION Lyon'],
  ],
  [
    'From: Sibusiso Ndlovu <s.ndlovu@example.com>\nTo: Clara Whitfield <clara@example.com>\nSubject: invoice',
    ['PERSON Sibusiso Ndlovu', 'PERSON Clara Whitfield'],
  ],
  ["SELECT * FROM guests WHERE last_name = 'Abernathy';", ['PERSON Abernathy']],
  ['const owner = { name: "Beatrix Holloway" }', ['PERSON Beatrix Holloway']],
  ['Signed-off-by: Tobias Reinholt <t@example.com>', ['PERSON Tobias Reinholt']],
])('finds them in what programs write: %j', (text, wanted) => {
  expect(find(text)).toEqual(wanted)
})

test.each([
  ['Ship to ', '4821 Larkspur Lane, Apt 7B, Boise, ID 83704', ' please.'],
  ['', 'PO Box 2214, Flagstaff, AZ 86003', ''],
  ['Our flat is at ', '27 Rue des Martyrs, 75009 Paris', ', second floor.'],
  ['', '10 Downing Street, London SW1A 2AA', ''],
  ['Ich wohne in der ', 'Lindenstraße 14, 50674 Köln', '.'],
])('finds all of an address: %s%s%s', (before, address, after) => {
  const text = before + address + after
  const covered = new Set<number>()
  for (const { type, start, end, score } of tagNames(text)) {
    if (type !== 'LOCATION' || score < confidenceThreshold) continue
    for (let at = start; at < end; at++) covered.add(at)
  }
  const inside = [...covered].filter(at => at >= before.length && at < before.length + address.length)
  expect(inside.length / address.length).toBeGreaterThan(0.9)
  expect(covered.size).toBe(inside.length)
})

test.each([
  'How do I deploy a Spring Boot service behind Apache on Jenkins?',
  'Python, Java, Ruby, Swift and Rust compared',
  'Click Save Changes, then Export Report and Close Window.',
  '# Getting Started\n\n## Known Issues\n\n## Release Notes',
  'class OrderBook:\n    def match(self, bid, ask):\n        return bid >= ask',
  '{"title":"Quarterly Review","status":"In Progress","color":"Dark Orange"}',
  'The meeting moved from Monday to the first week of March.',
  'WARNING: DO NOT RUN THIS SCRIPT AS ROOT',
  '2024-05-01T10:00:00Z ERROR QueueWorker retry 3 of 5',
  'import numpy as np\nfrom sklearn.linear_model import Lasso',
  'What is the capital gains tax on 500 shares?',
  'It took 12 ways to drive 40 miles of road.',
  'Use Dijkstra or Bellman for the shortest path.',
  "Explain Bayes' theorem and the Fourier transform.",
  'Will you mark the may dates as read?',
  'hello, can you help me?',
  '',
  ' \n\t',
  '\ud83d',
])('finds nobody and no place in %j', text => {
  expect(find(text)).toEqual([])
})

test.each([
  ['👩‍🚀 Xiomara Delgado 🚀 flew to Lima', ['Xiomara Delgado', 'Lima']],
  ['𝒳𝒳 and 🎉🎉 for Xiomara Delgado\r\nin Lima', ['Xiomara Delgado', 'Lima']],
  ['Xio\u200bmara Delgado flew to Li\u00adma', ['Xio\u200bmara Delgado', 'Li\u00adma']],
  ['my name is 𝐀𝐧𝐧𝐚 𝐁𝐞𝐫𝐠𝐦𝐚𝐧', ['𝐀𝐧𝐧𝐚 𝐁𝐞𝐫𝐠𝐦𝐚𝐧']],
  ['Jose\u0301 Delgado flew to Lima', ['Jose\u0301 Delgado', 'Lima']],
])('offsets count the units of the text as it came: %j', (text, wanted) => {
  expect(find(text).map(found => found.replace(/^[A-Z]+ /, ''))).toEqual(wanted)
})

test('a name that is sure in one place is one in the rest of the text', () => {
  const alone = find('Tell the vendor that Okonjo wants it on Friday.')
  const text = 'I met Adaeze Okonjo in May.\nTell the vendor that Okonjo wants it on Friday.'
  expect(alone.length).toBeLessThanOrEqual(1)
  expect(find(text)).toEqual(['PERSON Adaeze Okonjo', 'PERSON Okonjo'])
})

test('a certain place stays one where its word is a certain name elsewhere', () => {
  expect(find('Paris Hilton was seen in Paris last week.')).toEqual(['PERSON Paris Hilton', 'LOCATION Paris'])
})

test('finds come in the order of the text, with scores on both sides of the threshold', () => {
  const text = [
    'Sierra and Chase like Brook, Garamond, Mercury and Phoenix.',
    'Cork,40',
    'Verdana, Ariel, Roberta, Florence',
    'a dakota, an austin, faith, grace and hope',
    'name,town',
    'Owen Gallagher,Cork,40',
  ].join('\n')
  const finds = tagNames(text)
  expect(finds.map(({ start }) => start)).toEqual(finds.map(({ start }) => start).sort((a, b) => a - b))
  expect(finds.every(({ score, start, end }) => score > 0 && score <= 1 && start < end && end <= text.length)).toBe(
    true,
  )
  expect(finds.some(({ score }) => score < confidenceThreshold)).toBe(true)
  expect(finds.some(({ score }) => score >= confidenceThreshold)).toBe(true)
})

test('a name ends where its sentence does', () => {
  expect(find('We talked to Brook. Sierra was late.')).not.toContain('PERSON Brook. Sierra')
  expect(find('Jordan called Priyanka Deshmukh. Okonjo agreed with Dr. Amélie Rousseau in St. Louis.')).toEqual(
    expect.arrayContaining(['PERSON Priyanka Deshmukh', 'LOCATION St. Louis']),
  )
})

test('says the same of a text whatever it has read before', () => {
  const text = 'Please forward the contract to Margarethe Lindqvist in Graz.'
  const first = tagNames(text)
  tagNames('Anneliese Vogt lives at 12 Elm Street, Boise. '.repeat(200))
  expect(tagNames(text)).toEqual(first)
})
