// Tests the scan of answers that come in pieces: values cut at every place, in every channel, in JSON and beside
// restored values; what is held back meanwhile, and how much work a piece costs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import { Vault } from '../../../src/guardrails/masking/vault.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { maxMatchLength } from '../../../src/guardrails/pii/open-end.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { channels, cutAt, finish, pieceOf, saidIn } from '../masking/answers.ts'
import { openScanned, rewritePieces, structuredTypes } from './scanned-answer.ts'

const samples: readonly [type: EntityType, before: string, value: string, after: string][] = [
  ['EMAIL_ADDRESS', 'Write to ', 'zoe.roe@example.com', ' or call.'],
  ['EMAIL_ADDRESS', 'Write to ', 'rosa dot lind at corp dot example', ', please.'],
  ['EMAIL_ADDRESS', 'Write to ', 'zo\u200be@example.com', '.'],
  ['PHONE_NUMBER', 'Call ', '+1 (415) 555-0132', ' now.'],
  ['PHONE_NUMBER', 'Call ', '( 415 ) 555-0132', ' now.'],
  ['US_SSN', 'It is ', '536-22-8145', ', he says.'],
  // The word after it makes it one.
  ['PHONE_NUMBER', 'It is ', '555 0132', ' (mobile).'],
  ['CREDIT_CARD', 'Card ', '4111 1111 1111 1111', ' expires.'],
  ['US_BANK_NUMBER', 'The account number is ', '004512378901', ' there.'],
  ['IBAN_CODE', 'Pay to ', 'NL91 ABNA 0417 1643 00', ' today.'],
  ['IP_ADDRESS', 'From ', '203.0.113.77', ' again.'],
  ['IP_ADDRESS', 'From ', '2001:db8::8a2e:370:7334', ' again.'],
  ['DATE_TIME', 'We meet ', 'the day after tomorrow at 3 p.m.', ' in the office.'],
  ['PERSON', 'The report was written by ', 'Maria Schneider', ' last year for them.'],
  ['LOCATION', 'He lives at ', '123 Main Street, Springfield, IL 62704', ' with his cat.'],
]

describe('a value', () => {
  test.each(samples)('%s in "%s%s%s" is replaced wherever it is cut', (type, before, value, after) => {
    const text = before + value + after
    const expected = `${before}<${type}>${after}`
    for (let place = 0; place <= text.length; place++) {
      expect(rewritePieces({ types: [type] }, 'text', cutAt(text, [place])), `at ${place}`).toBe(expected)
    }
    expect(rewritePieces({ types: [type] }, 'text', [...text])).toBe(expected)
    expect(rewritePieces({ types: [type] }, 'text', text.match(/\s*\S{1,4}/g) ?? [])).toBe(expected)
  })

  test.each(channels)('cut anywhere is replaced in %s, in each choice by itself', channel => {
    const text = 'Write to zoe.roe@example.com or ann@example.org.'
    const expected = 'Write to <EMAIL_ADDRESS> or <EMAIL_ADDRESS>.'
    for (let place = 0; place <= text.length; place++) {
      expect(rewritePieces({ types: ['EMAIL_ADDRESS'] }, channel, cutAt(text, [place, place + 3]))).toBe(expected)
    }
    const { rewriter } = openScanned({ types: ['EMAIL_ADDRESS'] })
    const sent = [...text].flatMap((piece, at) =>
      [0, 1].flatMap(choice => rewriter.rewrite([pieceOf(channel, piece, choice, at === 0)])),
    )
    sent.push(...rewriter.rewrite([finish(0), finish(1)]))
    for (const choice of [0, 1]) expect(saidIn(channel, sent, choice)).toBe(expected)
  })

  test('of a type that is not wanted stays, and no other type takes its digits', () => {
    const text = 'My bank account uses card 4111 1111 1111 1111 today.'
    expect(rewritePieces({ types: ['US_BANK_NUMBER'] }, 'text', [...text])).toBe(text)
  })

  test('at the end of the answer is replaced there', () => {
    expect(rewritePieces({ types: ['EMAIL_ADDRESS'] }, 'text', ['to zoe@exam', 'ple.com'])).toBe('to <EMAIL_ADDRESS>')
    const { rewriter } = openScanned({ types: ['EMAIL_ADDRESS'] })
    expect(saidIn('text', rewriter.rewrite([pieceOf('text', 'to zoe@example.com')]))).toBe('to ')
    expect(saidIn('text', rewriter.flush())).toBe('<EMAIL_ADDRESS>')
  })

  test('leaves no log probabilities of what is held back', () => {
    const { rewriter } = openScanned({ types: ['EMAIL_ADDRESS'] })
    const logprobs = { content: [{ token: 'zoe@example.com' }], refusal: null }
    const sent = ['a ', 'zoe@example.com', ' b'].flatMap(text =>
      rewriter.rewrite([{ type: 'text', choice: 0, text, logprobs }]),
    )
    expect(JSON.stringify([...sent, ...rewriter.rewrite([finish()])])).not.toContain('zoe@')
    // What is sent now is the first word, and the log probabilities are those of the second.
    const again = openScanned({ types: ['EMAIL_ADDRESS'] }).rewriter
    const words = ['yes ', 'yes '].flatMap(text => again.rewrite([{ type: 'text', choice: 0, text, logprobs }]))
    expect(words).toEqual([{ type: 'text', choice: 0, text: 'yes ' }])
  })
})

describe('JSON', () => {
  const said = {
    'zoe@example.com': 'name',
    note: 'tab\tto "zoe.roe@example.com"\nann@example.org \u00e9 🙂',
    list: ['bob@example.com', 4155550132, true],
    phone: 4155550132,
    price: -12.5,
  }
  const kept = {
    'zoe@example.com': 'name',
    note: 'tab\tto "<EMAIL_ADDRESS>"\n<EMAIL_ADDRESS> \u00e9 🙂',
    list: ['<EMAIL_ADDRESS>', 4155550132, true],
    phone: '<PHONE_NUMBER>',
    price: -12.5,
  }
  const types = ['EMAIL_ADDRESS', 'PHONE_NUMBER'] as const

  test.each([
    ['arguments', JSON.stringify(said)],
    ['arguments', JSON.stringify(said, null, 2)],
    ['arguments', JSON.stringify(said).replaceAll('@', '\\u0040').replaceAll('é', '\\u00e9')],
    ['text', JSON.stringify(said)],
  ] as const)('in %s stays JSON wherever it is cut: %s', (channel, text) => {
    const expected = { ...kept, ...(text.includes('\n') ? { list: expect.anything() } : {}) }
    for (let place = 0; place <= text.length; place++) {
      const rewritten = rewritePieces({ types, textIsJson: true }, channel, cutAt(text, [place]))
      expect(JSON.parse(rewritten), `at ${place}`).toEqual(expected)
    }
    expect(JSON.parse(rewritePieces({ types, textIsJson: true }, channel, [...text]))).toEqual(expected)
  })

  test('that was asked for and is prose is scanned too', () => {
    const text = 'Sorry, ask jane.doe@example.com, "he said".'
    expect(rewritePieces({ types, textIsJson: true }, 'text', [...text])).toBe('Sorry, ask <EMAIL_ADDRESS>, "he said".')
  })
})

describe('restored values', () => {
  const vault = new Vault()
  const hex = 'a1b2c3d4e5f6'
  const own = 'own.value@example.com and +1 415 555 0132'
  vault.keep('EMAIL_ADDRESS', hex, own)

  test.each(channels)('are never replaced in %s, wherever they are cut and whatever stands beside them', channel => {
    for (const text of [
      `<EMAIL_ADDRESS_${hex}> zoe@example.com`,
      `a@example.com <EMAIL_ADDRESS_${hex}>.`,
      `x EMAIL_ADDRESS_${hex} y`,
      `41 <EMAIL_ADDRESS_${hex}> 32`,
    ]) {
      const expected = text
        .replace('zoe@example.com', '<EMAIL_ADDRESS>')
        .replace('a@example.com', '<EMAIL_ADDRESS>')
        .replace(/<?EMAIL_ADDRESS_[0-9a-f]{12}>?/, own)
      const options = { types: structuredTypes, vault }
      for (let place = 0; place <= text.length; place++) {
        expect(rewritePieces(options, channel, cutAt(text, [place])), `${text} at ${place}`).toBe(expected)
      }
      expect(rewritePieces(options, channel, [...text])).toBe(expected)
    }
  })

  test('split a match that spans them', () => {
    const people = new Vault()
    people.keep('PERSON', hex, 'Anna')
    const text = `The prize went to Maria <PERSON_${hex}> Schneider of Berlin in the end.`
    const rewritten = rewritePieces({ types: ['PERSON'], vault: people }, 'text', [...text])
    expect(rewritten).toContain('Anna')
    expect(rewritten).not.toContain(hex)
  })

  test('a token of another request stays as it is', () => {
    const text = 'It is <US_SSN_536228145000> there'
    expect(rewritePieces({ types: structuredTypes, vault }, 'text', [...text])).toBe(text)
  })
})

describe('what is held back', () => {
  const send = (types: readonly EntityType[], pieces: readonly string[]) => {
    const { rewriter } = openScanned({ types })
    return pieces.map(piece => saidIn('text', rewriter.rewrite([pieceOf('text', piece)])))
  }

  test.each([
    [
      'structured types',
      structuredTypes,
      ['The answer ', 'is simple: ', 'yes.\n', 'Then go on'],
      ['The ', 'answer is simple: ', 'yes.\n', 'Then go '],
    ],
    ['dates', ['DATE_TIME'], ['Sure, it ', 'works as ', 'before'], ['Sure, it ', 'works as ', '']],
    [
      'names',
      ['PERSON', 'LOCATION'],
      ['the answer ', 'is Maria ', 'in it, ', 'and so on'],
      ['the answer ', 'is ', '<PERSON> in it', ''],
    ],
  ] as const)('is only what may become a value: %s', (_name, types, pieces, sent) => {
    expect(send(types, pieces).join('|')).toBe(sent.join('|'))
  })

  test.each([
    ['a long run', 'x'.repeat(5_000)],
    ['a long number', '1'.repeat(5_000)],
    ['digit groups', '12 34 '.repeat(900)],
    ['date words', 'the next '.repeat(600)],
    ['capitals', 'Anna Maria '.repeat(500)],
    ['spelled addresses', 'a dot '.repeat(900)],
    ['ideographs', '漢字かな'.repeat(1_000)],
    ['invisible characters', `a${'\u200b'.repeat(50)}`.repeat(80), 1_024],
  ])('is at most one match long: %s', (_name, text, max = maxMatchLength) => {
    const { rewriter } = openScanned({ types: entityTypes })
    for (let at = 0; at < text.length; at += 7) rewriter.rewrite([pieceOf('text', text.slice(at, at + 7))])
    expect(saidIn('text', rewriter.flush()).length).toBeLessThanOrEqual(max)
  })

  test('nothing is in shadow mode, which changes nothing and still finds', () => {
    const { rewriter, found } = openScanned({ types: structuredTypes, terms: ['zebra'], isEnforced: false })
    const text = 'Write to zoe.roe@example.com about the zebra.'
    for (const piece of text) expect(saidIn('text', rewriter.rewrite([pieceOf('text', piece)]))).toBe(piece)
    rewriter.rewrite([finish()])
    expect(found).toEqual(['EMAIL_ADDRESS', 'term'])
  })
})

describe('the terms of a blocklist', () => {
  const terms = ['purple zebra', 'Straße', 'c++', 'caf\u00e9']
  const findIn = (pieces: readonly string[]) => {
    const { rewriter, found } = openScanned({ terms })
    let before = ''
    for (const piece of pieces) {
      const sent = saidIn('text', rewriter.rewrite([pieceOf('text', piece)]))
      if (found.length === 0) before += sent
    }
    rewriter.rewrite([finish()])
    return { found, before }
  }

  test.each([
    ['A purple  zebra!', 'A '],
    ['A PURPLE\nZEBRA', 'A '],
    ['A p\u200burple z\u0435bra.', 'A '],
    ['die STRASSE', 'die '],
    ['in C++ it', 'in '],
    ['a cafe\u0301 there', 'a '],
  ])('are found wherever they are cut, and no part is sent before: %s', (text, before) => {
    for (let place = 0; place <= text.length; place++) {
      const result = findIn(cutAt(text, [place]))
      expect(result.found, `at ${place}`).toEqual(['term'])
      expect(before.startsWith(result.before), `${result.before} at ${place}`).toBe(true)
    }
    expect(findIn(text.split('')).found).toEqual(['term'])
    expect(before.startsWith(findIn(text.split('')).before)).toBe(true)
  })

  test.each(['a purple zebrafish', 'unpurple zebra', 'purple', 'cafes'])('are not found within a word: %s', text => {
    expect(findIn(text.split('')).found).toEqual([])
    expect(rewritePieces({ terms }, 'text', text.split(''))).toBe(text)
  })
})

describe('work', () => {
  test('grows with the length of an answer, and not with its square', () => {
    const piece = 'Maria met him at 5 pm. '
    const costOf = (pieces: number) => {
      const { rewriter } = openScanned({ types: entityTypes, terms: ['zebra'] })
      const before = process.cpuUsage()
      for (let count = 0; count < pieces; count++) rewriter.rewrite([pieceOf('text', piece)])
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    costOf(400)
    expect(costOf(3_200)).toBeLessThan(8 * 4 * Math.max(costOf(400), 1))
  })
})

describeWithSharedData('labelled texts', 'pii/dev', path => {
  const lines = readdirSync(path).flatMap(file => readFileSync(join(path, file), 'utf8').trim().split('\n'))
  const cases = lines.filter((_, at) => at % 29 === 0).map(line => JSON.parse(line) as { text: string })

  const redact = async (text: string, types: readonly EntityType[]) => {
    let redacted = ''
    let to = 0
    for (const { start, end, type } of await findEntities(text, new Set(types), createWorkBudget(1e9))) {
      redacted += `${text.slice(to, start)}<${type}>`
      to = end
    }
    return redacted + text.slice(to)
  }

  test.each([
    ['structured values', structuredTypes, 1],
    ['dates', ['DATE_TIME'], 0.995],
    // The tagger reads whole lines: a name may be read otherwise before its line is complete.
    ['names', ['PERSON', 'LOCATION'], 0.97],
  ] as const)('%s are replaced in pieces as in the whole text', async (_name, types, share) => {
    const differing: string[] = []
    for (const { text } of cases) {
      const expected = await redact(text, types)
      expect(rewritePieces({ types }, 'text', [text])).toBe(expected)
      const pieces = [text.split(''), text.match(/\s*\S{1,4}|\s+/g) ?? []]
      if (pieces.some(cut => rewritePieces({ types }, 'text', cut) !== expected)) differing.push(text)
    }
    expect(cases.length).toBeGreaterThan(200)
    expect(differing.length / cases.length, differing.join('\n')).toBeLessThanOrEqual(1 - share)
  })
})
