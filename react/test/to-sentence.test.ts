// The sentences that users of an application read.
import { SallyportError } from '@sallyport/sdk'
import { expect, test } from 'vitest'
import { toSentence } from '../src/to-sentence.ts'

const failed = (message: string, retryAfterSeconds: number | null = null, retryable = true) =>
  new SallyportError(message, { status: 429, retryable, retryAfterSeconds })

test.each<[unknown, string]>([
  [failed('Rate limit exceeded', 1), 'Rate limit exceeded. Try again in 1 second.'],
  [failed('Rate limit exceeded', 45), 'Rate limit exceeded. Try again in 45 seconds.'],
  [failed('Rate limit exceeded', 121), 'Rate limit exceeded. Try again in 3 minutes.'],
  [failed('The budget of the day is used up', 7201), 'The budget of the day is used up. Try again in 3 hours.'],
  [failed('is it running?'), 'Is it running? Try again.'],
  [failed('Service disabled by kill switch', null, false), 'Service disabled by kill switch.'],
  [new TypeError('failed'), 'Failed.'],
  [new Error(''), 'Something went wrong.'],
  ['no', 'No.'],
])('%s', (error, sentence) => {
  expect(toSentence(error)).toBe(sentence)
})
