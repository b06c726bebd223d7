// On a server, components render without a request, without a token and without a page around them.
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SallyportProvider, useCompletion, useLimits } from '../src/index.ts'

function Shown() {
  const { status, text, error } = useCompletion({ prompt: { id: 'chat' } })
  return createElement('p', null, JSON.stringify([status, text, error, useLimits()]))
}

test('a server renders the first state', () => {
  const refuse = () => {
    throw new Error('asked while rendering')
  }
  const props = { baseUrl: 'https://project.example.com', tokenProvider: refuse, fetch: refuse }
  const html = renderToString(createElement(SallyportProvider, props, createElement(Shown)))
  expect(html.replaceAll('&quot;', '"')).toBe(
    '<p>["ready","",null,{"requests":null,"tokens":null,"blockedUntil":null}]</p>',
  )
})

test('without a provider the error says what is missing', () => {
  expect(() => renderToString(createElement(Shown))).toThrow('Put <SallyportProvider> around')
})
