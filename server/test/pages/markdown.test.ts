// The subset of Markdown that docs/ uses, as HTML.
import { describe, expect, test } from 'vitest'
import { plainText } from '../../src/pages/markdown/render-inline.ts'
import { renderPage } from '../../src/pages/markdown/render-page.ts'

const htmlOf = (markdown: string): string => renderPage(markdown, href => `to:${href}`).html

describe('blocks', () => {
  test.each([
    ['a heading', '## Two *doors* `x`', '<h2 id="two-doors-x">Two <em>doors</em> <code>x</code></h2>'],
    ['a paragraph over two lines', 'One\ntwo.', '<p>One two.</p>'],
    ['two paragraphs', 'One.\n\nTwo.', '<p>One.</p>\n<p>Two.</p>'],
    ['a comment', '<!-- made -->\nText', '<p>Text</p>'],
    ['code', '```\na < b\n\n# c\n```', '<pre tabindex="0"><code>a &#60; b\n\n# c</code></pre>'],
    [
      'code in a language',
      '```sh\na # c\n```',
      '<pre tabindex="0"><code>a <span class="comment"># c</span></code></pre>',
    ],
    ['a list', '- a\n  b\n- c', '<ul>\n<li>a b</li>\n<li>c</li>\n</ul>'],
    ['a list behind a paragraph', 'P:\n- a', '<p>P:</p>\n<ul>\n<li>a</li>\n</ul>'],
    ['an ordered list with blank lines', '1. a\n\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['a list in a list', '- a\n  - b\n- c', '<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ul>'],
    [
      'code in a list',
      '1. a\n\n   ```\n   x\n     y\n   ```',
      '<ol>\n<li>a\n<pre tabindex="0"><code>x\n  y</code></pre></li>\n</ol>',
    ],
    ['a line that begins with a number', 'In\n15. November', '<p>In 15. November</p>'],
    [
      'a table',
      '| A | B |\n|---|:-:|\n| `x\\|y` | **b** |',
      '<div class="table" tabindex="0"><table>\n<thead><tr><th>A</th><th>B</th></tr></thead>\n<tbody>\n' +
        '<tr><td><code>x|y</code></td><td><strong>b</strong></td></tr>\n</tbody>\n</table></div>',
    ],
  ])('%s', (_what, markdown, expected) => expect(htmlOf(markdown)).toBe(expected))

  test('equal headings have anchors of their own, as on code forges', () => {
    const { sections } = renderPage('# T\n\nIntro\n\n## Run & see\n\na\n\n## Run & see\n\nb', href => href)
    expect(sections.map(({ anchor, text }) => [anchor, text])).toEqual([
      ['', 'Intro\n'],
      ['run--see', 'a\n'],
      ['run--see-1', 'b\n'],
    ])
  })
})

describe('within a line', () => {
  test.each([
    ['markup is escaped', '<script>alert("&")</script>', '&#60;script&#62;alert(&#34;&#38;&#34;)&#60;/script&#62;'],
    ['code is left alone', '`**a** [b](c) <d>`', '<code>**a** [b](c) &#60;d&#62;</code>'],
    ['two back ticks', '`` a`b ``', '<code>a`b</code>'],
    ['a link', '[the *x*](y.md#z)', '<a href="to:y.md#z">the <em>x</em></a>'],
    ['a link over code with brackets', '[`a[0]`](y)', '<a href="to:y"><code>a[0]</code></a>'],
    ['an attack in a link', '[x](javascript:"<)', '<a href="to:javascript:&#34;&#60;">x</a>'],
    ['an image', '![A "way"](w.svg)', '<img src="to:w.svg" alt="A &#34;way&#34;">'],
    ['a bare address', 'See http://a.b/c?d=e.', 'See <a href="http://a.b/c?d=e">http://a.b/c?d=e</a>.'],
    ['bold around code', '**`a` b**', '<strong><code>a</code> b</strong>'],
    ['an escaped star', '\\*a*', '*a*'],
    ['stars and underscores that mean nothing', '2 * 3 * 4 snake_case_name', '2 * 3 * 4 snake_case_name'],
  ])('%s', (_what, markdown, expected) => expect(htmlOf(markdown)).toBe(`<p>${expected}</p>`))

  test('a link that leads nowhere is its text', () => {
    expect(renderPage('[a *b*](../c.md)', () => null).html).toBe('<p>a <em>b</em></p>')
  })

  test('plain text keeps the words alone', () => {
    expect(plainText('**Bold `code`** and [a *link*](x) http://a.b')).toBe('Bold code and a link http://a.b')
  })
})
