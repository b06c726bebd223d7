// A project in a file: what is written is read again as it was, and an error has a place.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readProjectFile, writeProjectFile } from '../src/commands/files/project-file.ts'
import { makeFolder } from './run-cli.ts'

type Budgets = Record<string, unknown>[]

const file = join(makeFolder(), 'project.yaml')
const schema = 'https://llm.example.com/schemas/project-v1.json'

/** As it stands in a file. */
const variable = (name: string) => ['$', `{env:${name}}`].join('')

function read(text: string, environment: Record<string, string> = {}) {
  writeFileSync(file, text)
  return readProjectFile(file, { environment })
}

/** With every secret set. */
const readAs = (text: string) => {
  const names = [...text.matchAll(/secret: \$\{env:(\w+)\}/g)].map(([, name = '']) => name)
  expect(new Set(names).size).toBe(names.length)
  return read(text, Object.fromEntries(names.map(name => [name, name])))
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    variable('HOME'),
    `$${variable('HOME')}`,
    `$$${variable('A')}b`,
    'yes',
    '1e3',
    'null',
    '~',
    '- a',
    'a: b',
    '#',
    '\n',
    '<<',
    '*a',
    '!!str',
    '\u2028\ta',
  ),
)
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any
const tier = fc.record({
  name: text,
  sort_order: fc.integer(),
  overrides: fc.dictionary(text, value, { noNullPrototype: true }),
})
const draft = fc.record({
  name: text,
  managed_by: fc.constantFrom('file' as const, null),
  settings: fc.dictionary(text, value, { noNullPrototype: true }),
  tiers: fc.array(tier, { maxLength: 3 }),
  prompts: fc.array(fc.dictionary(text, value, { noNullPrototype: true }), { maxLength: 2 }),
  webhooks: fc.array(
    fc.record({
      url: fc.constantFrom('https://a.example/hook', 'https://a.example/hook/', 'https://a.example:8443/ü?'),
      types: fc.constantFrom<string[] | null>(null, ['audit']),
    }),
    { maxLength: 3 },
  ),
  end_user_budgets: fc.array(fc.record({ uid: text, budgets: fc.constant<Budgets>([{ usd: 0.1, period: 'day' }]) })),
})

test('whatever a project holds is read as it was written', () => {
  fc.assert(
    fc.property(draft, given => {
      const { document } = readAs(writeProjectFile(schema, given))
      const webhooks = document.webhooks?.map(({ secret: _, ...webhook }) => webhook)
      expect({ managed_by: null, ...document, webhooks }).toEqual(given)
    }),
  )
})

test.each([
  ['settings.rpm_limit must be an integer 1-10000', 2, 3],
  ['tiers[1].overrides.rpm_limit must be an integer', 7, 7],
  ['tiers[0].name is there twice', 4, 5],
  ['prompts[0].messages must be a list', 9, 5],
  ['settings: Invalid base URL', 1, 1],
  ['Something else', 1, 1],
])('the error %j is at %i:%i', (message, line, column) => {
  const text = [
    'settings:',
    '  rpm_limit: many',
    'tiers:',
    '  - name: gold',
    '  - name: silver',
    '    overrides:',
    '      rpm_limit: x',
    'prompts:',
    '  - messages: 1',
  ]
  const read1 = read(text.join('\n'))
  expect(() => read1.fail(message)).toThrow(`${file}:${line}:${column}: ${message}`)
})

test.each([
  ['a section that is none', 'setings: {}', '1:1: setings is not a section'],
  ['a list in place of sections', '- a', '1:1: The file must have sections'],
  ['what is no YAML', 'settings: {rpm_limit: 1', '1:'],
  [
    'a variable that is not set',
    `settings:\n  system_prompt: ${variable('NOT_SET')}`,
    '2:18: The environment variable NOT_SET',
  ],
])('%s is refused with its place', (_, text, words) => {
  expect(() => read(text)).toThrow(`${file}:${words}`)
})

test('a variable is filled in, also inside a text, and what is doubled is not', () => {
  const { document } = read(`settings:\n  a: ${variable('A')}\n  b: x ${variable('A')} y\n  c: $${variable('A')}`, {
    A: '1',
  })
  expect(document.settings).toEqual({ a: '1', b: 'x 1 y', c: variable('A') })
})

test('a comparison needs no secrets, and only secrets may be missing', () => {
  const hook = `webhooks:\n  - url: https://a.example\n    secret: ${variable('NOT_SET')}\n`
  writeFileSync(file, hook)
  const { document } = readProjectFile(file, { environment: {}, isSecretOptional: true })
  expect(document.webhooks).toEqual([{ url: 'https://a.example' }])
  expect(() => read(hook)).toThrow(`${file}:3:13: The environment variable NOT_SET`)
  writeFileSync(file, `name: ${variable('NOT_SET')}`)
  expect(() => readProjectFile(file, { environment: {}, isSecretOptional: true })).toThrow('NOT_SET')
})
