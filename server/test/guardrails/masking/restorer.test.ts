// Tokens restored in answers that come in pieces: every place a token can be cut at, every channel, every way in which
// models garble what stands around a token; and what is held back meanwhile.
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import type { Delta } from '../../../src/domain/conversation/answer.ts'
import { type EntityType, entityTypes } from '../../../src/domain/settings/settings.ts'
import { AnswerRewriter } from '../../../src/guardrails/answers/answer-rewriter.ts'
import { Vault } from '../../../src/guardrails/masking/vault.ts'
import { channels, cutAt, finish, pieceOf, restorePieces, saidIn } from './answers.ts'

const value = 'Zoë "Z" O\'Neil\n& <b>sons</b> \\ 🙂'
const hexes: readonly string[] = entityTypes.map((_, index) => `${index}a1b2c3d4e5f6`.slice(0, 12))
const hexOf = (type: EntityType) => hexes[entityTypes.indexOf(type)] ?? ''

function fillVault(): Vault {
  const vault = new Vault()
  for (const type of entityTypes) vault.keep(type, hexOf(type), value)
  return vault
}

const vault = fillVault()
const newRestorer = () => new AnswerRewriter({ vault: vault, textIsJson: false, scanning: null })
const written = (channel: string) => (channel === 'arguments' ? JSON.stringify(value).slice(1, -1) : value)

/** What a model makes of `<TYPE_hex>`, and what is left of it once it is restored. */
const garbled: readonly [form: (type: string, hex: string) => string, rest?: (value: string) => string][] = [
  [(type, hex) => `<${type}_${hex}>`],
  [(type, hex) => `${type}_${hex}`],
  [(type, hex) => `<${type}_${hex}`],
  [(type, hex) => `${type}_${hex}>`],
  [(type, hex) => `&lt;${type}_${hex}&gt;`],
  [(type, hex) => `%3C${type}_${hex}%3E`],
  [(type, hex) => `%3c${type}_${hex}%3e`],
  [(type, hex) => `\\u003c${type}_${hex}\\u003e`],
  [(type, hex) => `\\<${type}\\_${hex}\\>`],
  [(type, hex) => `< ${type}_${hex} >`],
  [(type, hex) => `<\`${type}_${hex}\`>`],
  [(type, hex) => `\`<${type}_${hex}>\``, restored => `\`${restored}\``],
  [(type, hex) => `\`${type}_${hex}\``, restored => `\`${restored}\``],
  [(type, hex) => `**<${type}_${hex}>**`, restored => `**${restored}**`],
  [(type, hex) => `<${type.replaceAll('_', '\\_')}\\_${hex}>`],
  [(type, hex) => `<${type.replaceAll('_', '\\\\_')}\\\\_${hex}>`],
  [(type, hex) => `<${type.replaceAll('_', ' ')} ${hex}>`],
  [(type, hex) => `<${type.replaceAll('_', '-')}-${hex}>`],
  [(type, hex) => `<${type.toLowerCase()}_${hex}>`],
  [(type, hex) => `${type[0]}${type.slice(1).toLowerCase()}_${hex}`],
]

describe('one token', () => {
  test('in an answer that was asked to be JSON leaves it JSON, in its text alone', () => {
    const newJsonRestorer = () => new AnswerRewriter({ vault: vault, textIsJson: true, scanning: null })
    const text = JSON.stringify({ where: `<LOCATION_${hexOf('LOCATION')}>` })
    for (let place = 0; place <= text.length; place++) {
      const restored = restorePieces(newJsonRestorer(), 'text', cutAt(text, [place]))
      expect(JSON.parse(restored), `at ${place}`).toEqual({ where: value })
    }
    const said = `<LOCATION_${hexOf('LOCATION')}>`
    expect(restorePieces(newJsonRestorer(), 'refusal', [said])).toBe(value)
    expect(restorePieces(newJsonRestorer(), 'reasoning', [said])).toBe(value)
  })

  test.each(channels)('cut at every place is restored in %s', channel => {
    for (const type of entityTypes) {
      const text = `It is <${type}_${hexOf(type)}>, or so.`
      const expected = `It is ${written(channel)}, or so.`
      for (let place = 0; place <= text.length; place++) {
        expect(restorePieces(newRestorer(), channel, cutAt(text, [place])), `${type} at ${place}`).toBe(expected)
      }
      expect(restorePieces(newRestorer(), channel, [...text])).toBe(expected)
    }
  })

  test.each(
    garbled.map(([form, rest = (restored: string) => restored]) => ({ name: form('TYPE', 'hex'), form, rest })),
  )('written as $name is restored, whole and cut', ({ form, rest }) => {
    for (const type of ['PERSON', 'US_BANK_NUMBER', 'EMAIL_ADDRESS'] as const) {
      const text = `a ${form(type, hexOf(type))}\nz`
      const expected = `a ${rest(value)}\nz`
      for (let place = 0; place <= text.length; place++) {
        const pieces = cutAt(text, [place, place + 1])
        expect(restorePieces(newRestorer(), 'text', pieces), `${type} at ${place}`).toBe(expected)
      }
      expect(restorePieces(newRestorer(), 'text', [form(type, hexOf(type))])).toBe(rest(value))
    }
  })

  test.each([
    ['another hex', '<PERSON_0123456789ab>'],
    ['one character of the hex changed', `<PERSON_${hexOf('PERSON').slice(0, 11)}0>`],
    ['a hex that goes on', `<PERSON_${hexOf('PERSON')}0>`],
    ['capitals in the hex', `<PERSON_${hexOf('PERSON').toUpperCase()}>`],
    ['the hex of another type', `<PERSON_${hexOf('LOCATION')}>`],
    ['a placeholder', '<PERSON>'],
    ['an unfinished one', `<PERSON_${hexOf('PERSON').slice(0, 11)}`],
    ['a bare name', 'PERSON_'],
  ])('is left alone: %s', (_name, text) => {
    for (const channel of channels) {
      for (const said of [text, `a ${text} z`]) {
        expect(restorePieces(newRestorer(), channel, [said])).toBe(said)
        expect(restorePieces(newRestorer(), channel, [...said])).toBe(said)
      }
    }
  })

  test('a bracket of the text itself stays', () => {
    const token = `PERSON_${hexOf('PERSON')}`
    const restore = (text: string) => restorePieces(newRestorer(), 'text', [...text])
    expect(restore(`if 5 < ${token} or so`)).toBe(`if 5 < ${value} or so`)
    expect(restore(`if ${token} > 5`)).toBe(`if ${value} > 5`)
    expect(restore(`<<${token}>>`)).toBe(`<${value}>`)
    expect(restore(`<b>${token}</b>`)).toBe(`<b>${value}</b>`)
  })
})

describe('an answer in pieces', () => {
  const filler = fc.constantFrom(
    '<',
    '>',
    '&',
    '&lt;',
    'PERSON',
    'PERSON_',
    'US_',
    'e',
    'Date ',
    '\\',
    '`',
    'ü🙂',
    ' x ',
  )
  const token = fc.constantFrom(...entityTypes).map(type => `<${type}_${hexOf(type)}>`)
  const text = fc.array(fc.oneof(filler, token), { maxLength: 12 }).map(parts => parts.join(''))
  const places = fc.array(fc.nat(300), { maxLength: 40 })
  const runs = inject('prove') ? 9_000 : 1_500

  test('says the same wherever it is cut', () => {
    fc.assert(
      fc.property(text, places, fc.constantFrom(...channels), (said, cuts, channel) => {
        const whole = restorePieces(newRestorer(), channel, [said])
        expect(restorePieces(newRestorer(), channel, cutAt(said, cuts))).toBe(whole)
        const literal = said.replaceAll(/<([A-Z_]+)_([0-9a-f]{12})>/g, () => written(channel))
        // The filler makes no token of its own unless it stands right before or behind one.
        if (!/[<`\\ ]<[A-Z]|&lt;<|>[>&`\\]/.test(said)) expect(whole).toBe(literal)
      }),
      { numRuns: runs },
    )
  })

  test('is held back only while it may become a token of this request', () => {
    const few = new Vault()
    few.keep('PERSON', hexOf('PERSON'), 'Zoe')
    few.keep('EMAIL_ADDRESS', hexOf('EMAIL_ADDRESS'), 'z@example.com')
    const whole = (said: string) =>
      restorePieces(new AnswerRewriter({ vault: few, textIsJson: false, scanning: null }), 'text', [said])
    const forms = garbled.flatMap(([form]) => [
      form('PERSON', hexOf('PERSON')),
      form('EMAIL_ADDRESS', hexOf('EMAIL_ADDRESS')),
    ])
    const mayBecomeToken = (held: string) =>
      forms.some(form =>
        [...form, ''].some((_, index) => ['Zoe', 'z@example.com'].includes(whole(held + form.slice(index)))),
      )
    fc.assert(
      fc.property(text, places, (said, cuts) => {
        const restorer = new AnswerRewriter({ vault: few, textIsJson: false, scanning: null })
        let fed = ''
        let told = ''
        for (const piece of cutAt(said, cuts)) {
          fed += piece
          told += saidIn('text', restorer.rewrite([pieceOf('text', piece)]))
          // What is told of the text so far, and what would be told if it ended here.
          const held = whole(fed).slice(told.length)
          expect(held.length).toBeLessThanOrEqual(48)
          const raw = fed.slice(fed.length - held.length)
          if (held !== '' && fed.endsWith(held)) expect(mayBecomeToken(raw), JSON.stringify(raw)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('is told at once where no token of this request can follow', () => {
    const restorer = newRestorer()
    for (const piece of ['Hello ', 'world <b', '> & <PERSONA', ' <LOCATION_7f', ' 5 < 6 ']) {
      expect(saidIn('text', restorer.rewrite([pieceOf('text', piece)]))).toBe(piece)
    }
    const few = new Vault()
    few.keep('PERSON', hexOf('PERSON'), 'Zoe')
    const piece = `<EMAIL_ADDRESS_${hexOf('EMAIL_ADDRESS').slice(0, 5)}`
    expect(
      saidIn(
        'text',
        new AnswerRewriter({ vault: few, textIsJson: false, scanning: null }).rewrite([pieceOf('text', piece)]),
      ),
    ).toBe(piece)
  })

  test('keeps choices, calls and channels apart', () => {
    const restorer = newRestorer()
    const tokenOf = (type: EntityType) => `<${type}_${hexOf(type)}>`
    const shares: Delta[] = []
    const told: Delta[] = []
    for (let at = 0; at < 30; at++) {
      for (const choice of [0, 1]) {
        const piece = (type: EntityType) => tokenOf(type)[at] ?? ''
        shares.push({ type: 'text', choice, text: piece('PERSON') })
        shares.push({ type: 'refusal', choice, text: piece('LOCATION') })
        for (const call of [0, 1]) {
          const text = piece(call === 0 ? 'DATE_TIME' : 'US_SSN')
          if (at === 0) shares.push({ type: 'tool_call', choice, call, id: `${call}`, name: 'f', arguments: text })
          else shares.push({ type: 'tool_arguments', choice, call, text })
        }
      }
    }
    for (const delta of shares) told.push(...restorer.rewrite([delta]))
    told.push(...restorer.rewrite([finish(0), finish(1)]))
    for (const choice of [0, 1]) {
      expect(saidIn('text', told, choice)).toBe(value)
      expect(saidIn('refusal', told, choice)).toBe(value)
      for (const call of [0, 1]) {
        const own = told.filter(delta => 'call' in delta && delta.call === call)
        expect(saidIn('arguments', own, choice)).toBe(written('arguments'))
      }
    }
  })

  test('flushes what is unfinished before a finish, a fault and an abort, each once', () => {
    const error: Delta = {
      type: 'error',
      error: { class: 'truncated', message: null, param: null, retryAfterSeconds: null, status: null, code: null },
    }
    for (const end of [finish(), error]) {
      const restorer = newRestorer()
      expect(restorer.rewrite([pieceOf('text', 'a <PERS')])).toEqual([pieceOf('text', 'a ')])
      expect(restorer.rewrite([pieceOf('arguments', '{"a":"<US_', 0, true)])).toHaveLength(1)
      const told = restorer.rewrite([end])
      expect(told.at(-1)).toBe(end)
      expect(saidIn('text', told)).toBe('<PERS')
      expect(saidIn('arguments', told)).toBe('<US_')
      expect(restorer.flush()).toEqual([])
    }
    const restorer = newRestorer()
    restorer.rewrite([pieceOf('text', `x PERSON_${hexOf('PERSON')}`)])
    expect(saidIn('text', restorer.flush())).toBe(value)
  })

  test('leaves what a provider signed, and strips what is known of tokens that changed', () => {
    const token = `<PERSON_${hexOf('PERSON')}>`
    const details = [
      { type: 'reasoning.text', text: token, signature: 'c2ln', format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: token, format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: token, format: 'openai-responses-v1' },
    ]
    for (const detail of details) {
      const delta: Delta = { type: 'reasoning', choice: 0, text: '', detail }
      expect(newRestorer().rewrite([delta, finish()])).toEqual([delta, finish()])
    }
    const summary: Delta = {
      type: 'reasoning',
      choice: 0,
      text: '',
      detail: { type: 'reasoning.summary', summary: token },
    }
    expect(newRestorer().rewrite([summary])).toEqual([
      { type: 'reasoning', choice: 0, text: '', detail: { type: 'reasoning.summary', summary: value } },
    ])
    const logprobs = { content: [{ token: '<PERSON' }], refusal: null }
    const untouched: Delta = { type: 'text', choice: 0, text: 'no', logprobs }
    expect(newRestorer().rewrite([untouched])).toEqual([untouched])
    expect(newRestorer().rewrite([{ type: 'text', choice: 0, text: token, logprobs }])).toEqual([
      { type: 'text', choice: 0, text: value },
    ])
  })
})

test('a digit of a type is exact, as its letters are but for their case', () => {
  const own = new Vault()
  own.keep('BADGE_1', '0a1b2c3d4e5f', 'B-7')
  const restore = (text: string) =>
    restorePieces(new AnswerRewriter({ vault: own, textIsJson: false, scanning: null }), 'text', [text])
  expect(restore('<badge_1_0a1b2c3d4e5f>')).toBe('B-7')
  for (const other of ['<BADGE_\u0011_0a1b2c3d4e5f>', '<BADGE_2_0a1b2c3d4e5f>']) expect(restore(other)).toBe(other)
})

describe('a vault', () => {
  test('is gone after its life, unless a stream is open, and with its request', async () => {
    const token = `<PERSON_${hexOf('PERSON')}>`
    const restoreWith = (own: Vault) =>
      restorePieces(new AnswerRewriter({ vault: own, textIsJson: false, scanning: null }), 'text', [token])
    const make = (lifeMs: number) => {
      const own = new Vault(lifeMs)
      own.keep('PERSON', hexOf('PERSON'), 'Zoe')
      return own
    }
    const [expiring, held, closed] = [make(1), make(1), make(60_000)]
    held.hold()
    closed.close()
    await expect.poll(() => restoreWith(expiring)).toBe(token)
    expect(restoreWith(held)).toBe('Zoe')
    expect(restoreWith(closed)).toBe(token)
  })
})
