// Credentials: every form on made-up values, and what only resembles one.
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normalValue } from '../../../src/guardrails/masking/normal-value.ts'
import { findCredentials } from '../../../src/guardrails/pii/credentials/find-credentials.ts'
import { findEntities } from '../../../src/guardrails/pii/find-entities.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'
import { finish } from '../../support/finish.ts'
import { processorMsOf } from '../../support/slowness.ts'
import { base64, encode, hex, lower, mixed, pem, random, tokens } from './made-up-secrets.ts'

async function find(text: string): Promise<string[]> {
  const finds = await findEntities(text, new Set(['CREDENTIAL']), createWorkBudget(1e9))
  return finds.map(({ start, end }) => text.slice(start, end))
}

test.each(tokens)('%s: found whole, wherever it stands', async (_, token) => {
  expect(await find(token)).toEqual([token])
  expect(await find(`Why does ${token} not work?`)).toEqual([token])
  expect(await find(`export KEY="${token}";\n密钥${token}。`)).toEqual([token, token])
  expect(await find(`${'word '.repeat(4_000)}${token}, and ${'more '.repeat(4_000)}`)).toEqual([token])
})

test.each(tokens)('%s: the end of a word is no token, also where it is read in another stretch', async (_, token) => {
  // Longer than the word's first letter is one stretch.
  const before = ' '.repeat(8_191)
  expect(await find(`${before}x${token}`)).toEqual(await find(`x${token}`))
  expect(await find(`${before}:${token}`)).toEqual([token])
})

const password = `Tr0ub4dor&${random(lower, 3)}`
const secret = random(mixed, 40)

test.each([
  [`api_key = "${secret}"`, secret],
  [`COHERE_API_KEY=${secret}`, secret],
  [`{"apiKey": "${secret}", "n": 1}`, secret],
  [`{\\"client_secret\\": \\"${secret}\\"}`, secret],
  [`aws_secret_access_key: ${random(base64, 40, 11)}`, random(base64, 40, 11)],
  [`AccountName=a;AccountKey=${random(base64, 86)}==;EndpointSuffix=x`, `${random(base64, 86)}==`],
  [`access token: ${secret}.`, secret],
  [`client_secret: ${random(hex, 32)}`, random(hex, 32)],
  [`Authorization: Bearer ${secret}`, secret],
  [`curl -H 'authorization: token ${random(hex, 40)}'`, random(hex, 40)],
  [
    `Authorization: Basic ${Buffer.from(`zoe:${password}`).toString('base64')}`,
    Buffer.from(`zoe:${password}`).toString('base64'),
  ],
  [`send the header Bearer ${secret} with it`, secret],
  [`password: ${password}`, password],
  [`"password": "${password}"`, password],
  [`DB_PASSWORD='${password}'`, password],
  [`Server=db;User Id=sa;Password=${password.replace('&', '!')};Encrypt=true`, password.replace('&', '!')],
  [`My password is ${password.replace('&', '-')}, please log in.`, password.replace('&', '-')],
  [`postgres://app:${password}@db.example.com:5432/app`, password],
  [`mongodb+srv://app:${random(mixed, 12)}@cluster0.example.net`, random(mixed, 12)],
  [`redis://:${password}@cache:6379/0`, password],
])('%s: only the value is found', async (text, value) => {
  expect(await find(text)).toEqual([value])
})

const digest = random(hex, 40)
const dollar = '$'

test.each([
  'sk-...',
  'export OPENAI_API_KEY=YOUR_API_KEY',
  'api_key = "<token>"',
  'api_key: xxxxxxxxxxxxxxxxxxxxxxxx',
  `sk-${'x'.repeat(48)}`,
  `sk-your-key-goes-here-1a2b3c4d5e`,
  `sk-1234567890abcdefghijklmnopqrst`,
  `AKIA${'IOSFODNN7EXAMPLE'}`,
  'sk-toggleable__content sk-estimator-doc-link-2024 sk-learn',
  'password: string, token: string | null, secret?: Buffer',
  'password = getpass.getpass("Password: ")',
  'password: req.body.password2',
  'password = process.env["PASSWORD1"]',
  `password: ${dollar}{DB_PASSWORD_1}`,
  `postgres://user:${dollar}{PASSWORD1}@host/db`,
  'postgres://user:password@localhost:5432/db and postgres://postgres:postgres@db',
  'password: Password123, "password": "secret!", mysql://app:somepassword@db.example.com',
  'redis://cache:6379/0 and https://example.com:8443/a@b',
  `password_hash: "${random(hex, 64)}"`,
  'max_tokens=4096&token_count: 1234567',
  `commit ${digest}\nsha1: ${digest}, md5=${random(hex, 32)}`,
  `token: ${digest}`,
  `"integrity": "sha512-${random(base64, 86)}=="`,
  `data:image/png;base64,iVBORw0KGgo${random(base64, 4_000)}`,
  'id: 7f3c2a90-1b6d-4e58-9a7c-2d4f6b8e0c13, api_key: 7f3c2a90-1b6d-4e58-9a7c-2d4f6b8e0c13',
  `-----BEGIN CERTIFICATE-----\n${random(base64, 640)}\n-----END CERTIFICATE-----`,
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
  'Authorization: Bearer <access_token>',
  'The bearer of this letter, and a bearer token in general.',
  'primary key: user_account_identifier_2, sort_key = "created_at_2024_desc"',
  `${encode({ hello: 'world' })}.${encode({ a: 1 })}.${random(mixed, 20)}`,
  'secret: user.account.service.token1',
  'api_key: settings-page-identifier-in-2024',
])('%s: nothing is found', async text => {
  expect(await find(text)).toEqual([])
})

test('a private key that is cut off is found to its last line', async () => {
  const cut = pem('EC PRIVATE KEY').slice(0, 500)
  expect(await find(`${cut} and more?`)).toEqual([cut])
})

test('installed packages raise at most 0.5 false alarms in a megabyte', async () => {
  const folder = join(import.meta.dirname, '../../../../node_modules')
  let bytes = 0
  const found: string[] = []
  for (const name of globSync('*/{README.md,package.json,lib/*.js,dist/*.{js,d.ts}}', { cwd: folder })) {
    const path = join(folder, name)
    if (statSync(path).size > 500_000) continue
    const text = readFileSync(path, 'utf8')
    bytes += Buffer.byteLength(text)
    for (const value of await find(text)) found.push(`${name}: ${value}`)
  }
  expect(bytes).toBeGreaterThan(2_000_000)
  expect({ found, isFew: found.length <= (0.5 * bytes) / 1e6 }).toEqual({ found, isFew: true })
})

test('an encrypted key and a token that are cut off are found, if enough of them is there', async () => {
  const [first, ...lines] = pem('RSA PRIVATE KEY').slice(0, 500).split('\n')
  const cut = [first, 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123456789ABCDEF', '', ...lines].join('\n')
  expect(await find(`${cut} and more?`)).toEqual([cut])
  const token = `${encode({ alg: 'RS256' })}.${random(mixed, 300)}`
  expect(await find(`My token: ${token}`)).toEqual([token])
  expect(await find(`My token: ${token}.`)).toEqual([token])
  expect(await find(`My token: ${token} is cut off`)).toEqual([])
  expect(await find(`My token: ${encode({ alg: 'RS256', x5c: [random(mixed, 400)] }).slice(0, 300)}`)).toHaveLength(1)
  expect(await find(`My data: ${encode({ id: 7, x5c: [random(mixed, 400)] }).slice(0, 300)}`)).toEqual([])
})

test('two that differ in case have two tokens', () => {
  expect(normalValue('CREDENTIAL', 'aB3')).not.toBe(normalValue('CREDENTIAL', 'ab3'))
})

test('is not looked for unless it is wanted, and wins over what other types see in it', async () => {
  const text = `ghp_${random(mixed, 36)} and postgres://a:415-555-0132x@db.example.com`
  const types = async (...wanted: ('CREDENTIAL' | 'PHONE_NUMBER' | 'EMAIL_ADDRESS')[]) =>
    (await findEntities(text, new Set(wanted), createWorkBudget(1e9))).map(({ type }) => type)
  expect(await types('PHONE_NUMBER', 'EMAIL_ADDRESS')).not.toContain('CREDENTIAL')
  expect(await types('PHONE_NUMBER', 'EMAIL_ADDRESS', 'CREDENTIAL')).toEqual(['CREDENTIAL', 'CREDENTIAL'])
})

test.each([
  'password: ',
  'password is ',
  'Bearer ',
  'api_key=',
  '://a:',
  '://a:b@',
  'eyJ.',
  'eyJhbGciOiJub25lIn0.',
  'sk-',
  'sk-a1-',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----\nabcd',
  '-----BEGIN PRIVATE KEY-----\nA: b\nA: ',
  '\n \n "+',
  'aaa8Q~',
  ':AA',
  '=',
  'a1',
])('twice as much of %j takes about twice as long', seed => {
  const fill = (length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)
  const best = (text: string) => {
    let ms = Number.POSITIVE_INFINITY
    for (let run = 0; run < 7; run++) {
      const read = () => finish(findCredentials(text, createWorkBudget(1e12)))
      ms = Math.min(ms, processorMsOf(read))
    }
    return ms
  }
  const [single, sixfold] = [best(fill(40_000)), best(fill(240_000))]
  // A quadratic reader would take 36 times as long, and seconds.
  expect(sixfold).toBeLessThan(Math.max(18 * single, 100))
  const budget = createWorkBudget(1e12)
  finish(findCredentials(fill(8_000), budget))
  expect(budget.spent).toBeLessThan(40 * 8_000)
})
