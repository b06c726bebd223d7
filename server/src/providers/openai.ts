// OpenAI's address, headers, model list and quirks of its responses.

import { type ListedModel, listedEmbeddingModel } from './models/model-page.ts'
import { readOpenAiPage } from './models/openai-model-list.ts'
import { bearer, type ProviderAdapter } from './provider-adapter.ts'

// The list does not say what a model can do; these families are known by name: those that make vectors, and those
// that do not support chat either.
const families =
  'whisper|tts|dall-e|moderation|transcribe|realtime|audio|image|sora|ada|babbage|curie|davinci|instruct|' +
  'search-(?:doc|query)|similarity|computer-use'
const embeds = /(?:^|-)embedding(?:-|$)/
const otherThanChat = new RegExp(`(?:^|-)(?:${families})(?:-|$)`)

export const openai: ProviderAdapter = {
  address: { version: 'v1' },
  authorise: bearer,
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
      return page && { ...page, models: page.models.flatMap(readModel) }
    },
  },
}

function readModel(listed: ListedModel): ListedModel[] {
  if (embeds.test(listed.model)) return [listedEmbeddingModel({ model: listed.model })]
  return otherThanChat.test(listed.model) ? [] : [listed]
}
