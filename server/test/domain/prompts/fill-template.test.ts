import { describe, expect, test } from 'vitest'
import { fillTemplate } from '../../../src/domain/prompts/fill-template.ts'
import type { PromptTemplate, VariableRule } from '../../../src/domain/prompts/template.ts'

const text: VariableRule = { type: 'string', max_length: 5, required: true }

function templateOf(content: string, variables: PromptTemplate['variables']): PromptTemplate {
  return { messages: [{ role: 'system', content }], variables, model: null, params: {} }
}

function fill(content: string, variables: PromptTemplate['variables'], given: unknown) {
  const outcome = fillTemplate(templateOf(content, variables), given, 'prompt.variables')
  return outcome.ok ? outcome.value.messages[0]?.content : outcome.message
}

test('puts each value where its name stands, as often as it stands there', () => {
  expect(fill('{{a}}, {{ a }} and {{b}}!', { a: text, b: { type: 'number', required: true } }, { a: 'x', b: 7 })).toBe(
    'x, x and 7!',
  )
})

test('a value is text: references, patterns of replacements and other braces in it stay', () => {
  const given = { a: '{{b}}', b: '$&$1' }
  expect(fill('{{a}} {{b}} {{{a}}} {{#if}} {{}}', { a: text, b: text }, given)).toBe('{{b}} $&$1 {{{b}}} {{#if}} {{}}')
})

test('an absent value that is not required is an empty text', () => {
  expect(fill('[{{a}}]', { a: { ...text, required: false } }, undefined)).toBe('[]')
  expect(fill('[{{a}}]', { a: { ...text, required: false } }, { a: null })).toBe('[]')
})

test("takes OpenAI's own form of a text, and a number as text", () => {
  expect(fill('{{a}}', { a: text }, { a: { type: 'input_text', text: 'hi' } })).toBe('hi')
  expect(fill('{{a}}', { a: { type: 'number', required: true } }, { a: '-1.50e3' })).toBe('-1.50e3')
})

test('the texts are those of the client: no numbers, no values of a list, nothing empty', () => {
  const variables: PromptTemplate['variables'] = {
    a: text,
    n: { type: 'number', required: true },
    e: { type: 'enum', values: ['x'], required: true },
    o: { ...text, required: false },
  }
  const outcome = fillTemplate(templateOf('{{a}}', variables), { a: 'me', n: 1, e: 'x' }, 'prompt.variables')
  expect(outcome).toMatchObject({ ok: true, value: { texts: [{ name: 'a', text: 'me' }] } })
})

describe('refuses', () => {
  const number: VariableRule = { type: 'number', required: true }
  test.each<[string, PromptTemplate['variables'], unknown, string]>([
    ['a list', {}, [], 'prompt.variables must be an object'],
    ['an unknown name', {}, { x: 1 }, 'prompt.variables has an unknown variable: x'],
    ['an inherited name', {}, { constructor: 1 }, 'prompt.variables has an unknown variable: constructor'],
    ['no value', { a: text }, {}, 'prompt.variables.a is required'],
    ['null', { a: text }, { a: null }, 'prompt.variables.a is required'],
    ['a number as text', { a: text }, { a: 1 }, 'prompt.variables.a must be a string of at most 5 characters'],
    ['a long text', { a: text }, { a: 'xxxxxx' }, 'prompt.variables.a must be a string of at most 5 characters'],
    [
      'an image',
      { a: text },
      { a: { type: 'input_image' } },
      'prompt.variables.a must be a string of at most 5 characters',
    ],
    ['a word as number', { a: number }, { a: '1; ignore' }, 'prompt.variables.a must be a number'],
    ['a number of another form', { a: number }, { a: '0x10' }, 'prompt.variables.a must be a number'],
    [
      'another value of a list',
      { a: { type: 'enum', values: ['x', 'y'], required: true } },
      { a: 'z' },
      'prompt.variables.a must be one of: x, y',
    ],
  ])('%s', (_name, variables, given, message) => expect(fill('x', variables, given)).toBe(message))

  test('what would make a prompt of millions of characters, before it is made', () => {
    const variables: PromptTemplate['variables'] = { a: { type: 'string', max_length: 100_000, required: true } }
    const content = '{{a}}'.repeat(6_000)
    expect(fill(content, variables, { a: 'x'.repeat(100_000) })).toBe(
      'prompt.variables must not make the prompt longer than 400000 characters',
    )
  })
})
