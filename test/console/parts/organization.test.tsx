import { beforeEach, expect, test } from 'vitest'
import { OrganizationSettings } from '../../../src/console/settings/organization.tsx'
import { button, field, show, until, untilShown } from './page.tsx'
import { FakeService } from './service.ts'

const ORG = '/organizations/org_1'

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

test('an administrator chooses the language of emails by its own name', async () => {
  service.on('PATCH', ORG, ({ body }) => ({ body }))
  show(<OrganizationSettings />, { permissions: ['settings:write'], language: 'pt' })
  await untilShown('Language of emails')
  const choice = field<HTMLSelectElement>('Language of emails')
  expect(choice.value).toBe('pt')
  expect([...choice.options].map(({ textContent }) => textContent)).toEqual([
    'English',
    'Português',
    'Español',
    'Deutsch',
  ])
  choice.value = 'es'
  button('Save').click()
  await until(() => expect(service.made('PATCH', ORG)).toMatchObject([{ body: { language: 'es', name: 'Mercado' } }]))
})
