// What the tests of custom providers share.

export const key = 'gsk-0123456789abcdefghij-last'
export const unknownFacts = { display_name: null, context_window: null, max_output_tokens: null, prices: null }
export const noCapabilities = {
  surfaces: ['chat_completions', 'responses', 'messages'],
  streaming: null,
  tools: null,
  vision: null,
  reasoning: null,
  structured_output: null,
  temperature: null,
}
