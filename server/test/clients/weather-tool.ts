// The tool that the client tests offer to a model. Must import nothing of Node: pages in browsers use it, too.

export const weatherTool = {
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const
