// Reads the project's address on the server, at each request: it is public, and the page needs it. The API key stays here.
import { connection } from 'next/server'
import { Chat } from './chat.jsx'

export default async function Page() {
  await connection()
  return <Chat baseUrl={process.env.SALLYPORT_URL} />
}
