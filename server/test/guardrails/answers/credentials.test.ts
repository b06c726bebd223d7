// Tests credentials in answers that come in pieces: cut at every place, and longer than what is held back.
import { expect, test } from 'vitest'
import { findInSlice } from '../../../src/guardrails/pii/find-entities.ts'
import { maxMatchLength } from '../../../src/guardrails/pii/open-end.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { cutAt, finish, pieceOf, saidIn } from '../masking/answers.ts'
import { base64, encode, jwt, mixed, pem, random, tokens } from '../pii/made-up-secrets.ts'
import { inPieces, openScanned, rewritePieces } from './scanned-answer.ts'

const types = ['CREDENTIAL'] as const
const secret = random(mixed, 40)
const password = `Tr0ub4dor-${random(mixed, 3)}`

test.each(tokens.filter(([, token]) => token.length <= maxMatchLength))(
  '%s is replaced in pieces of each length',
  (_, token) => {
    const text = `Take ${token}, it works.\nOr ${token}`
    for (const length of [1, 3, 7, 40]) {
      expect(rewritePieces({ types }, 'text', inPieces(text, length))).toBe(
        'Take <CREDENTIAL>, it works.\nOr <CREDENTIAL>',
      )
    }
  },
)

test.each([
  [`api_key = "${secret}" there`, secret],
  [`Authorization: Bearer ${secret} now`, secret],
  [`My password is ${password}, please`, password],
  [`"password": "correct!horse" yes`, 'correct!horse'],
  [`postgres://app:${password}@db.example.com:5432/app`, password],
  [`{"n": 1, "accessKey": "${secret}"}`, secret],
  [`see ${jwt}.`, jwt],
])('%s is replaced wherever it is cut', (text, value) => {
  const expected = text.replace(value, '<CREDENTIAL>')
  for (let place = 0; place <= text.length; place++) {
    expect(rewritePieces({ types }, 'text', cutAt(text, [place])), `at ${place}`).toBe(expected)
  }
  expect(rewritePieces({ types }, 'text', [...text])).toBe(expected)
})

test('in JSON they are replaced in its strings', () => {
  const given = { note: `The key:\n${pem('PRIVATE KEY')}\nis mine`, token: secret, n: 1 }
  const text = JSON.stringify(given)
  for (const length of [1, 7, 1_000]) {
    const rewritten = rewritePieces({ types }, 'arguments', inPieces(text, length))
    expect(JSON.parse(rewritten)).toEqual({ note: 'The key:\n<CREDENTIAL>\nis mine', token: '<CREDENTIAL>', n: 1 })
  }
})

test('in prose in place of JSON, what looks like a number is removed without quotes', () => {
  const written = pem('PRIVATE KEY').replaceAll('\n', '\n12')
  for (const length of [1, 7, 1_000]) {
    const left = rewritePieces({ types, textIsJson: true }, 'text', inPieces(`It is:\n${written}\nThanks.`, length))
    expect(left).toMatch(/^It is:\n"?<CREDENTIAL>[\s\S]*\nThanks\.$/)
    expect(left.replace(/"<CREDENTIAL>"/g, '')).not.toContain('"')
    for (const line of written.split('\n')) expect(left).not.toContain(line)
  }
})

const key = pem('RSA PRIVATE KEY')
const headers = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n'
const [firstLine = '', ...rest] = key.split('\n')
const keys: readonly (readonly [form: string, key: string])[] = [
  ['as it is', key],
  ['with other line ends', key.replaceAll('\n', '\r\n')],
  ['with escaped line ends', pem('PRIVATE KEY', '\\n')],
  ['encrypted', `${firstLine}\n${headers}${rest.join('\n')}`],
  ['indented', key.replaceAll('\n', '\n            ')],
  ['quoted', key.replaceAll('\n', '\n> ')],
  ['in code', key.replaceAll('\n', '\\n" +\n  "')],
  ['in a list', key.replaceAll('\n', '",\n  "')],
]

test.each(keys)('a private key %s is one placeholder in pieces of each length', (_, written) => {
  const text = `Here it is:\n${written}\nKeep it safe.`
  for (const length of [1, 7, 64, 319, 1_000, 5_000]) {
    expect(rewritePieces({ types }, 'text', inPieces(text, length)), `pieces of ${length}`).toBe(
      'Here it is:\n<CREDENTIAL>\nKeep it safe.',
    )
  }
})

test('a private key that begins in another value is replaced, too', () => {
  for (const length of [1, 7, 1_000]) {
    const left = rewritePieces({ types }, 'text', inPieces(`Both: sk-${random(mixed, 48)}${key}\nYes.`, length))
    expect(left.replaceAll('<CREDENTIAL>', '').replaceAll(' ', ''), `pieces of ${length}`).toMatch(
      /^Both:(sk-\w+)?\nYes\.$/,
    )
  }
})

test('of a private key that is cut off, or not sent as one text, no line is sent', () => {
  const { rewriter, found } = openScanned({ types })
  const cut = key.slice(0, 1_500)
  const sent = [...cut].flatMap(piece => rewriter.rewrite([pieceOf('text', piece)]))
  expect(saidIn('text', sent)).toBe('<CREDENTIAL>')
  expect(saidIn('text', [...sent, ...rewriter.rewrite([finish()])])).toBe('<CREDENTIAL>')
  expect(found).toEqual(['CREDENTIAL'])
  const followed = rewritePieces({ types }, 'text', [...`${cut}\n\n**Note**: it ends here.`])
  expect(followed).toBe('<CREDENTIAL>\n\n**Note**: it ends here.')
})

test('a private key is reported once in shadow mode, and nothing is changed', () => {
  const { rewriter, found } = openScanned({ types, isEnforced: false })
  const sent = inPieces(key, 3).map(piece => saidIn('text', rewriter.rewrite([pieceOf('text', piece)])))
  rewriter.rewrite([finish()])
  expect(sent.join('')).toBe(key)
  expect(found).toEqual(['CREDENTIAL'])
})

test('a private key that is longer than any is not removed for ever', () => {
  const text = `${firstLine}\n${random(base64, 30_000)}`
  const left = rewritePieces({ types }, 'text', inPieces(text, 100))
  expect(left.startsWith('<CREDENTIAL>')).toBe(true)
  expect(left.length).toBeGreaterThan(5_000)
})

const claims = (length: number) => encode({ sub: random(mixed, length) })
const signature = random(mixed, 342)
test.each([
  ['a long payload', [encode({ alg: 'RS256' }), claims(900), signature]],
  ['a long header', [encode({ alg: 'RS256', x5c: [random(base64, 1_200)] }), claims(200), signature]],
  ['five parts', [encode({ alg: 'dir', enc: 'A256GCM' }), random(mixed, 400), claims(9), claims(900), signature]],
])('a token with %s is one placeholder in pieces of each length', (_, parts) => {
  const text = `The token is ${parts.join('.')}. Use it... now.`
  for (const length of [1, 7, 64, 319, 1_000, 5_000]) {
    expect(rewritePieces({ types }, 'text', inPieces(text, length)), `pieces of ${length}`).toBe(
      'The token is <CREDENTIAL>. Use it... now.',
    )
  }
  // Cut right behind a part, with nothing held back that shows what follows.
  const [header = '', ...others] = parts
  expect(rewritePieces({ types }, 'text', [`${header}.`, ...others.map(part => `${part}.`)])).toBe('<CREDENTIAL>.')
})

test('text that is no credential is sent up to its last word', () => {
  const { rewriter } = openScanned({ types })
  const send = (piece: string) => saidIn('text', rewriter.rewrite([pieceOf('text', piece)]))
  expect(['Sure, the ', 'password is ', 'secret: ', 'ask\n', '答案是密码'].map(send)).toEqual([
    'Sure, the ',
    'password is ',
    'secret: ',
    'ask\n',
    '答案是密码',
  ])
  expect(['Begin', ' -----BEGIN PUBLIC KEY-----\n', 'x '].map(send)).toEqual([
    '',
    'Begin -----BEGIN PUBLIC KEY-----\n',
    'x ',
  ])
})

test('the same text in one piece has the same result as in the whole text', () => {
  const text = `One ${secret}, key-${random('0123456789abcdef', 32, 5)} and password: ${password}`
  const found = findInSlice(text, new Set(types), createWorkBudget(1e6))
  const whole = found.reduceRight(
    (left, { start, end }) => `${left.slice(0, start)}<CREDENTIAL>${left.slice(end)}`,
    text,
  )
  expect(found).toHaveLength(2)
  expect(rewritePieces({ types }, 'text', [...text])).toBe(whole)
})
