import { expect, test } from 'vitest'
import { StatementNames } from './statement-names.js'

test('a statement has one name in every process, whatever ran before it, and no other has it', () => {
  const [one, another] = [new StatementNames(), new StatementNames()]
  another.nameOf('select 2')
  expect(one.nameOf('select 1')).toBe(another.nameOf('select 1'))
  expect(one.nameOf('select 1')).toBe(one.nameOf('select 1'))
  expect(one.nameOf('select 2')).not.toBe(one.nameOf('select 1'))
})

test('after 500 statements new ones have no name, and the others keep theirs', () => {
  const names = new StatementNames()
  const first = names.nameOf('select 0')
  for (let number = 1; number < 500; number++) expect(names.nameOf(`select ${number}`)).toMatch(/^[\w-]{22}$/)
  expect(names.nameOf('select 500')).toBeUndefined()
  expect(names.nameOf('select 0')).toBe(first)
})
