import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { TextLines } from '../interface/text-lines.js'
import { readCsvRecords, readLines } from './read-lines.js'

const newLines = () => new TextLines({ mayBeWindows1252: true })

test.each([
  ['lines', '{}\n'.repeat(200_000), readLines],
  ['records', `a,b\n${'1,2\n'.repeat(200_000)}`, readCsvRecords],
  ['records with misplaced quotes', `a,b\n${'a,"b\n'.repeat(200_000)}`, readCsvRecords],
  ['blank lines behind an open quote', `a,b\n"${'\n'.repeat(300_000)}`, readCsvRecords],
])('others get turns between the %s of one chunk', async (_what, text, read) => {
  let turns = 0
  let isReading = true
  const count = (): void => {
    turns += 1
    if (isReading) setImmediate(count)
  }
  setImmediate(count)
  for await (const _item of read(Readable.from([Buffer.from(text)]), newLines()));
  isReading = false
  expect(turns).toBeGreaterThan(5)
})

test('the next chunk is requested only after the lines of the last one are read', async () => {
  let given = 0
  async function* source(): AsyncGenerator<Buffer> {
    for (;;) {
      given += 1
      yield Buffer.from('a\nb\n')
    }
  }
  const lines = readLines(source(), newLines())
  for (let taken = 0; taken < 100; taken++) {
    await lines.next()
    expect(given).toBe(Math.floor(taken / 2) + 1)
  }
  await lines.return(undefined)
})
