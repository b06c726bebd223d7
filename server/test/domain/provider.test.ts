import { describe, expect, test } from 'vitest'
import {
  checkProviderKey,
  isProvider,
  isProviderSlug,
  isTenantProvider,
  keyLast4,
  type Provider,
  providerKinds,
  providerNotConfiguredMessage,
  providerSlugs,
} from '../../src/domain/provider.ts'
import { messageIn, valueIn } from './expect-checked.ts'

const tail = 'x'.repeat(30)
const shape = 'api_key must be 20-512 printable ASCII characters without white space'

describe('providers', () => {
  test('are six', () => {
    expect([...providerSlugs]).toEqual(['openai', 'anthropic', 'google', 'openrouter', 'mistral', 'cohere'])
    expect(['OpenAI', 'azure', '', '__proto__', 'toString'].filter(isProvider)).toEqual([])
  })

  test('of a tenant have a slug each, and are one kind', () => {
    expect(providerKinds).toEqual([...providerSlugs, 'azure', 'bedrock', 'vertex', 'custom'])
    const slugs = ['openai', 'azure', 'custom-a', 'custom', 'custo-a', 'acme', '', '__proto__', 'toString']
    expect(slugs.filter(isProviderSlug)).toEqual(['openai', 'azure', 'custom-a'])
    expect(slugs.filter(isTenantProvider)).toEqual(['azure', 'custom-a'])
  })

  test('are named in the words of a missing key', () => {
    expect(providerNotConfiguredMessage('openai')).toBe('The provider key for OpenAI must be configured')
    expect(providerNotConfiguredMessage('in-house')).toBe('The provider key for in-house must be configured')
  })
})

describe('the shape of a key', () => {
  const check = (provider: Provider, key: unknown, hasBaseUrlOverride = false) =>
    checkProviderKey(provider, key, { hasBaseUrlOverride })

  test.each<[Provider, unknown, string]>([
    ['openai', undefined, 'api_key is required'],
    ['openai', null, 'api_key is required'],
    ['openai', 5, 'api_key must be a string'],
    ['openai', '', shape],
    ['openai', 'sk-short', shape],
    ['google', 'x'.repeat(19), shape],
    ['google', 'x'.repeat(513), shape],
    ['google', `x ${tail}`, shape],
    ['google', `x\n${tail}`, shape],
    ['google', `é${tail}`, shape],
    ['google', `\0${tail}`, shape],
    ['openai', `pk-${tail}`, 'OpenAI keys start with sk-'],
    ['openai', `sk-ant-${tail}`, 'OpenAI keys do not start with sk-ant-'],
    ['openai', `sk-or-${tail}`, 'OpenAI keys do not start with sk-or-'],
    ['anthropic', `sk-${tail}`, 'Anthropic keys start with sk-ant-'],
    ['openrouter', `sk-${tail}`, 'OpenRouter keys start with sk-or-'],
  ])('%s refuses %j', (provider, key, message) => expect(messageIn(check(provider, key))).toBe(message))

  test.each<[Provider, string]>([
    ['openai', `sk-${tail}`],
    ['openai', `sk-proj-${tail}`],
    ['anthropic', `sk-ant-${tail}`],
    ['openrouter', `sk-or-v1-${tail}`],
    ['google', 'x'.repeat(20)],
    ['mistral', 'x'.repeat(512)],
    ['cohere', `sk-${tail}`],
  ])('%s accepts %s, trimmed', (provider, key) => expect(valueIn(check(provider, ` ${key}\n`))).toBe(key))

  test('behind a base URL override any prefix goes, but not any character', () => {
    expect(valueIn(check('openai', `local-${tail}`, true))).toBe(`local-${tail}`)
    expect(messageIn(check('openai', 'short', true))).toBe(shape)
  })

  test('the last four characters', () => expect(keyLast4(`sk-${tail}abcd`)).toBe('abcd'))
})
