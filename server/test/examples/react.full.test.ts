// The React example, which also shows what is left of the user's limits.
import { testChat } from './anonymous-chat.ts'

testChat({ name: 'react', packages: ['sdk', 'react'] }, ({ isShown }) =>
  isShown('small', 'requests left in this minute.'),
)
