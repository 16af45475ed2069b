import { expect, test } from 'vitest'
import { walkOperations } from './examples.js'

test("each operation's response is in assets/api-examples.json: run npm run examples", async () => {
  const made = await walkOperations()
  await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot('../assets/api-examples.json')
})
