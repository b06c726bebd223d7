// OpenAI's address, headers, model list and quirks of its responses.

import { readOpenAiPage } from './models/openai-model-list.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

// The list does not say what a model can do; these families are known by name not to support chat.
const families =
  'embedding|whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|sora|ada|babbage|curie|davinci|instruct|' +
  'search-(?:doc|query)|similarity|computer-use'
const otherThanChat = new RegExp(`(?:^|-)(?:${families})(?:-|$)`)

export const openai: ProviderAdapter = {
  slug: 'openai',
  address: { version: 'v1' },
  keyHeader: bearer,
  keyCheck: {
    path: ['models'],
    // A restricted key may not list models, but it is valid.
    readRefusal: (status, body) =>
      (status === 401 || status === 403) && /missing scopes/i.test(body) ? 'valid' : null,
  },
  modelList: {
    path: ['models'],
    format(body) {
      const page = readOpenAiPage(body)
      return page && { ...page, models: page.models.filter(({ model }) => !otherThanChat.test(model)) }
    },
  },
}
