// Answers as bytes, good and bad, with what a strict reader must make of each; and a generator that breaks good ones.
// `body`: it is an answer with this body. `fault`: the kind of failure, once the far end has closed behind it.
import fc from 'fast-check'
import type { OutboundFailureKind } from '../../src/outbound/failure.ts'

export interface AnswerCase {
  name: string
  bytes: string
  status?: number
  body?: string
  fault?: OutboundFailureKind
  /** undici takes it: where we are stricter than the client that was used before. */
  isOursAlone?: true
  /** undici takes the unasked-for 100 for a fault; RFC 9110 has clients pass over it. */
  undiciRefuses?: true
}

const ok = 'HTTP/1.1 200 OK\r\n'
const sized = (body: string, more = '') => `${ok}content-length: ${body.length}\r\n${more}\r\n${body}`
const chunked = (chunks: string, more = '') => `${ok}transfer-encoding: chunked\r\n${more}\r\n${chunks}`
const good = (name: string, bytes: string, body: string, status = 200): AnswerCase => ({ name, bytes, body, status })
const bad = (name: string, bytes: string, fault: OutboundFailureKind = 'protocol'): AnswerCase => ({
  name,
  bytes,
  fault,
})
const stricter = (name: string, bytes: string): AnswerCase => ({ ...bad(name, bytes), isOursAlone: true })

export const answerCases: AnswerCase[] = [
  good('a length', sized('hello'), 'hello'),
  good('no body at all', sized(''), ''),
  good('no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok', 'ok'),
  good('an empty reason phrase', 'HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nok', 'ok'),
  good(
    'bytes above ASCII in reason and values',
    `HTTP/1.1 200 d\xe9j\xe0\r\nx-a: \xff\r\ncontent-length: 2\r\n\r\nok`,
    'ok',
  ),
  good('blanks around a value', `${ok}content-length:   2\r\nx-a: \t b \t\r\n\r\nok`, 'ok'),
  good('no blank before a value', `${ok}content-length:2\r\n\r\nok`, 'ok'),
  good('an empty value', sized('ok', 'x-a:\r\n'), 'ok'),
  good('names in any case', `${ok}CoNtEnT-LeNgTh: 2\r\n\r\nok`, 'ok'),
  good('leading zeros in a length', `${ok}content-length: 0002\r\n\r\nok`, 'ok'),
  good('a body to the end of the connection', `${ok}\r\nall of it`, 'all of it'),
  good('an old answer', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', 'ok'),
  good('an old answer without a length', 'HTTP/1.0 200 OK\r\n\r\nok', 'ok'),
  good('204', 'HTTP/1.1 204 No Content\r\n\r\n', '', 204),
  good('an error', 'HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy', 'busy', 503),
  good('an interim answer before it', `HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n${sized('ok')}`, 'ok'),
  good('two interim answers', `HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 102 Go\r\n\r\n${sized('ok')}`, 'ok'),
  { ...good('100 unasked for', `HTTP/1.1 100 Continue\r\n\r\n${sized('ok')}`, 'ok'), undiciRefuses: true },
  good('chunks', chunked('5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'), 'hello world'),
  good('a chunk of capital hex', chunked(`A\r\n0123456789\r\n0\r\n\r\n`), '0123456789'),
  good('leading zeros in a chunk size', chunked('0005\r\nhello\r\n000\r\n\r\n'), 'hello'),
  good('a chunk extension', chunked('5;a=b\r\nhello\r\n0;c\r\n\r\n'), 'hello'),
  good('no chunk but the last', chunked('0\r\n\r\n'), ''),
  good('trailers', chunked('2\r\nok\r\n0\r\nx-a: b\r\nx-c: d\r\n\r\n'), 'ok'),
  good('line ends within a chunk', chunked('6\r\n\r\n\r\n\r\n\r\n0\r\n\r\n'), '\r\n\r\n\r\n'),
  good('a name that objects inherit', sized('ok', 'constructor: x\r\ntoString: y\r\n'), 'ok'),
  good('chunked in capitals', `${ok}Transfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n`, 'ok'),

  bad('nothing', '', 'reset'),
  bad('half a head', 'HTTP/1.1 200 OK\r\nx-a: b', 'reset'),
  bad('a body cut short', `${ok}content-length: 5\r\n\r\nhel`, 'reset'),
  bad('chunks cut short', chunked('5\r\nhel'), 'reset'),
  bad('no last chunk', chunked('5\r\nhello\r\n'), 'reset'),
  bad('a last chunk without its end', chunked('5\r\nhello\r\n0\r\n'), 'reset'),
  bad('an interim answer alone', 'HTTP/1.1 103 Early\r\n\r\n', 'reset'),
  bad('a change of protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'reset'),
  bad('another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'),
  stricter('HTTP/2', 'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n'),
  bad('a version of its own', 'HTTP/1.7 200 OK\r\ncontent-length: 0\r\n\r\n'),
  bad('a status of two digits', 'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n'),
  bad('a status of four digits', 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n'),
  bad('a status in words', 'HTTP/1.1 two OK\r\ncontent-length: 0\r\n\r\n'),
  bad('two blanks before the status', 'HTTP/1.1  200 OK\r\ncontent-length: 0\r\n\r\n'),
  stricter('a control character in the reason', 'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n'),
  stricter('a tab beside a length', `${ok}content-length: \t2\r\n\r\nok`),
  bad('a blank behind a length', `${ok}content-length: 2 \r\n\r\nok`),
  bad('two lengths', sized('ok', 'content-length: 3\r\n')),
  bad('the same length twice', sized('ok', 'content-length: 2\r\n')),
  bad('a list of lengths', `${ok}content-length: 2, 2\r\n\r\nok`),
  bad('a negative length', `${ok}content-length: -2\r\n\r\nok`),
  bad('a signed length', `${ok}content-length: +2\r\n\r\nok`),
  bad('a length in hex', `${ok}content-length: 0x2\r\n\r\nok`),
  bad('a length without digits', `${ok}content-length: \r\n\r\nok`),
  bad('a length beyond counting', `${ok}content-length: 99999999999999999999\r\n\r\nok`),
  bad('a length and chunks', chunked('2\r\nok\r\n0\r\n\r\n', 'content-length: 2\r\n')),
  bad('a blank before the colon', sized('ok', 'x-a : b\r\n')),
  bad('a name of nothing', sized('ok', ': b\r\n')),
  bad('a line without a colon', sized('ok', 'x-a\r\n')),
  bad('a character that no name has', sized('ok', 'x(a): b\r\n')),
  bad('a zero byte in a value', sized('ok', 'x-a: b\0c\r\n')),
  bad('a lone return in a value', sized('ok', 'x-a: b\rc\r\n')),
  bad('a bare line feed', 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'),
  bad('a bare line feed between headers', `${ok}x-a: b\ncontent-length: 2\r\n\r\nok`),
  bad('a chunk size of nothing', chunked('\r\nhello\r\n0\r\n\r\n')),
  bad('a chunk size that is none', chunked('xyz\r\nhello\r\n0\r\n\r\n')),
  bad('a negative chunk size', chunked('-5\r\nhello\r\n0\r\n\r\n')),
  bad('a chunk size beyond counting', chunked('fffffffffffffffff\r\nhello\r\n0\r\n\r\n')),
  bad('a chunk longer than it says', chunked('5\r\nhello!\r\n0\r\n\r\n')),
  bad('a blank behind a chunk size', chunked('5 \r\nhello\r\n0\r\n\r\n')),
  bad('a bare line feed behind a chunk size', chunked('5\nhello\r\n0\r\n\r\n')),
  bad('a bare line feed behind a chunk', chunked('5\r\nhello\n0\r\n\r\n')),
  bad('a trailer that is none', chunked('2\r\nok\r\n0\r\nx-a b\r\n\r\n')),

  bad('a folded value', sized('ok', 'x-a: b\r\n c\r\n')),
  stricter('a coding that is not chunked', `${ok}transfer-encoding: gzip\r\n\r\nok`),
  stricter('a coding before chunked', `${ok}transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  stricter('chunked twice', chunked('2\r\nok\r\n0\r\n\r\n', 'transfer-encoding: chunked\r\n')),
  stricter('chunks in an old answer', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
]

/** Answers of every framing, whole, and then broken in a few places: an insertion, a deletion, another byte. */
export function brokenAnswers(): fc.Arbitrary<string> {
  const body = fc.string({ unit: fc.constantFrom('a', '{', '"', '\r', '\n', ':', '0', ' '), maxLength: 40 })
  const header = fc.constantFrom(
    'x-a: b\r\n',
    'Date: now\r\n',
    'connection: close\r\n',
    'keep-alive: timeout=5\r\n',
    'x:\r\n',
  )
  const framed = fc
    .tuple(
      body,
      fc.array(header, { maxLength: 3 }),
      fc.constantFrom(1, 2, 3),
      fc.constantFrom('200 OK', '404 No', '204 N'),
    )
    .map(([text, headers, kind, status]) => {
      const head = `HTTP/1.1 ${status}\r\n${headers.join('')}`
      if (kind === 1) return `${head}content-length: ${text.length}\r\n\r\n${text}`
      if (kind === 2) return `${head}\r\n${text}`
      const cut = Math.floor(text.length / 2)
      const chunks = [text.slice(0, cut), text.slice(cut)].filter(Boolean)
      const written = chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
      return `${head}transfer-encoding: chunked\r\n\r\n${written}0\r\n\r\n`
    })
  const piece = fc.constantFrom(
    ...['\r', '\n', '\r\n', '\r\n\r\n', ' ', '\t', ':', ';', ',', '\0', '0', '1', 'f', '-', '+', '\x7f', '\xff'],
    ...['content-length: 3\r\n', 'transfer-encoding: chunked\r\n', 'transfer-encoding: x\r\n', 'HTTP/1.1 200 OK\r\n'],
    ...['HTTP/1.1 103 E\r\n\r\n', '0\r\n\r\n', '1.0'],
  )
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), piece)
  return fc.tuple(framed, fc.array(change, { maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((broken, [where, removed, added]) => {
      const at = Math.floor(where * broken.length)
      return broken.slice(0, at) + added + broken.slice(at + removed)
    }, text),
  )
}
