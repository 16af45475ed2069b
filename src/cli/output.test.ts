import { PassThrough } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { Cli, Format } from './io.js'
import { printList, printObject, writeRows, writeToStdout } from './output.js'

/** Returns the output of a command in a format, on a terminal or elsewhere. */
function printed(format: Format, print: (cli: Cli) => void, isTTY = format === 'table'): string {
  const stdout = Object.assign(new PassThrough(), { isTTY })
  const nothing = new PassThrough()
  print({
    ...{ stdin: nothing, stdout, stderr: nothing, clock: { now: () => 0 }, env: { NO_COLOR: '1' } },
    ...{ format: () => format, givenFormat: () => undefined, profile: () => undefined },
  })
  return String(stdout.read() ?? '')
}

const POSTS = [
  { id: 'a', count: 5, channels: { x: { caption: 'One, "two"' } }, active: true },
  { id: 'b', count: 1234, channels: {}, active: false, note: '喫茶\n店' },
]

describe('a list', () => {
  const columns = ['id', 'count', 'note', 'channels']
  const list = (format: Format, isTTY?: boolean): string =>
    printed(format, (cli) => printList(cli, POSTS, { columns, noun: 'posts' }), isTTY)

  test("is the server's response in JSON and NDJSON", () => {
    expect(JSON.parse(list('json'))).toEqual(POSTS)
    const lines = list('ndjson').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(POSTS)
  })

  test('is a header and a record for each row in CSV', () => {
    expect(parse(list('csv'))).toEqual([
      columns,
      ['a', '5', '', '{"x":{"caption":"One, \\"two\\""}}'],
      ['b', '1234', '喫茶\n店', '{}'],
    ])
    expect(list('csv', true)).toBe(list('csv'))
  })

  test('is aligned in a table, numbers to the right', () => {
    expect(list('table').split('\n')).toEqual([
      'id  count  note     channels',
      'a       5  -        {"x":{"caption":"One, \\"two\\""}}',
      'b    1234  喫茶 店  {}',
      '',
    ])
  })

  test('without rows is a sentence for a person, and nothing for a program', () => {
    const empty = (format: Format): string => printed(format, (cli) => printList(cli, [], { columns, noun: 'posts' }))
    expect(['table', 'json', 'ndjson', 'csv'].map((format) => empty(format as Format))).toEqual([
      'There are no posts yet.\n',
      '[]\n',
      '',
      'id,count,note,channels\r\n',
    ])
  })
})

test('a single object is a line for each field, an object, a line, or a header and a record', () => {
  const show = (format: Format): string => printed(format, (cli) => printObject(cli, POSTS[1]!))
  expect(show('table')).toBe('id        b\ncount     1234\nchannels  {}\nactive    no\nnote      喫茶 店\n')
  expect(JSON.parse(show('json'))).toEqual(POSTS[1])
  expect(show('ndjson')).toBe(`${JSON.stringify(POSTS[1])}\n`)
  expect(show('csv')).toBe('id,count,channels,active,note\r\nb,1234,{},false,"喫茶\n店"\r\n')
})

test('rows that arrive one by one make the same documents', async () => {
  async function* rows() {
    yield* POSTS
  }
  const written = async (format: 'json' | 'ndjson' | 'csv'): Promise<string> => {
    let text = ''
    const write = async (part: string): Promise<void> => {
      text += part
    }
    expect(await writeRows(write, format, rows(), ['id', 'count'])).toBe(2)
    return text
  }
  expect(JSON.parse(await written('json'))).toEqual(POSTS)
  expect(await written('ndjson')).toBe(POSTS.map((post) => `${JSON.stringify(post)}\n`).join(''))
  expect(await written('csv')).toBe('id,count\r\na,5\r\nb,1234\r\n')
})

describe('text that moves the cursor, changes a title or reverses a line', () => {
  const rows = [{ id: 'a', note: 'x\u001b]0;title\u0007\u009b2J\u202ey\u2066z\u200f\u0000' }]
  const list = (format: Format): string =>
    printed(format, (cli) => printList(cli, rows, { columns: ['id', 'note'], noun: 'posts' }), false)

  test.each(['csv', 'table', 'json', 'ndjson'] as const)('is escaped in a pipe as %s', async (format) => {
    const stdout = new PassThrough()
    async function* streamed() {
      yield* rows
    }
    if (format !== 'table') {
      await writeRows(writeToStdout({ stdout } as never), format, streamed(), ['id', 'note'])
    }
    for (const text of [list(format), String(stdout.read() ?? '')]) {
      expect(text.replaceAll(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    }
  })

  test('stays the same JSON', () => expect(JSON.parse(list('json'))).toEqual(rows))
})
