import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../src/console/api.ts'
import { problemsIn, toSentence } from '../../../src/console/form.ts'
import { CopyField, Form, FormDialog, ShownOnce, Switch, textIn } from '../../../src/console/forms.tsx'
import { Field } from '../../../src/console/ui.tsx'
import { button, field, helpOf, press, show, textOf, type, until, untilShown } from './page.tsx'

const refused = (...details: { path: (string | number)[]; message: string }[]): ApiError =>
  new ApiError(422, new Headers({ 'x-error-code': 'invalid' }), { message: '', error: details })

describe('the refusals of a field', () => {
  const error = refused(
    { path: ['channels', 'a', 'superpower', 'raffle', 'winnersLimit'], message: 'is too many' },
    { path: ['channels', 'a', 'superpower'], message: 'is needed' },
    { path: ['channels', 'b', 'superpower', 'name'], message: 'is too long' },
    { path: ['channels', 'a'], message: 'is unknown' },
  )

  test('are those at its path and below, and not those of other fields', () => {
    expect(problemsIn(error, ['channels', 'a', 'superpower'])).toEqual([
      { path: 'raffle.winnersLimit', message: 'is too many' },
      { path: '', message: 'is needed' },
    ])
    expect(problemsIn(error, ['channels', 'c'])).toEqual([])
    expect(problemsIn(new Error('no refusal'), ['channels'])).toEqual([])
  })

  test('are one sentence, or none', () => {
    expect(toSentence(problemsIn(error, ['channels', 'a', 'superpower']))).toBe(
      'raffle.winnersLimit: is too many is needed',
    )
    expect(toSentence([])).toBeUndefined()
  })
})

describe('a field', () => {
  test('is labelled by its label and described by its help and its problem', () => {
    show(
      <>
        <Field label="Name" hint="As others see it." problem="It is too long.">
          {(attributes) => <input {...attributes} />}
        </Field>
        <Field label="Time">{(attributes) => <input {...attributes} />}</Field>
      </>,
    )
    const name = field('Name')
    expect(helpOf(name)).toBe('It is too long.As others see it.')
    expect(name.getAttribute('aria-invalid')).toBe('true')
    expect(field('Time').hasAttribute('aria-describedby')).toBe(false)
    expect(field('Time').hasAttribute('aria-invalid')).toBe(false)
  })
})

describe('a form', () => {
  const submit = (): void => void document.querySelector('form')!.requestSubmit()

  test('returns its texts trimmed, and shows why it was refused', async () => {
    const texts: string[] = []
    show(
      <Form
        error={new Error('The name is taken.')}
        onSubmit={(form) => texts.push(textIn(form, 'name'), textIn(form, 'none'))}
      >
        <input name="name" defaultValue="  Anna B  " />
        <button type="submit">Save</button>
      </Form>,
    )
    expect(textOf(document.querySelector('form [role=alert]')!)).toBe('The name is taken.')
    submit()
    expect(texts).toEqual(['Anna B', ''])
  })

  test('in a dialog keeps what was typed if it is refused, and can be sent again', async () => {
    const sent: string[] = []
    const close = vi.fn()
    show(
      <FormDialog
        title="Rename"
        submit="Save"
        onClose={close}
        onSubmit={async (form) => {
          sent.push(textIn(form, 'name'))
          if (sent.length === 1) throw refused({ path: ['name'], message: 'The name is too long' })
        }}
      >
        <Field label="Name">{(attributes) => <input {...attributes} name="name" />}</Field>
      </FormDialog>,
    )
    expect(document.querySelector('dialog')!.open).toBe(true)
    type(field('Name'), 'Aurora')
    submit()
    await untilShown('The name is too long')
    expect(field('Name').value).toBe('Aurora')
    submit()
    await until(() => expect(sent).toEqual(['Aurora', 'Aurora']))
    await until(() => expect(document.querySelector('[role=alert]')).toBeNull())
    expect(close).not.toHaveBeenCalled()
    await press('Cancel')
    expect(close).toHaveBeenCalledOnce()
  })

  test('in a dialog sends nothing while its fields are invalid, and nothing twice at once', async () => {
    const sent = vi.fn(() => new Promise(() => {}))
    const dialog = (disabled: boolean) => (
      <FormDialog title="Move" submit="Move it" disabled={disabled} onSubmit={sent} onClose={() => {}} />
    )
    show(dialog(true))
    expect(button('Move it').disabled).toBe(true)
    submit()
    await Promise.resolve()
    expect(sent).not.toHaveBeenCalled()
    show(dialog(false))
    submit()
    await until(() => expect(button('Move it').disabled).toBe(true))
    expect(sent).toHaveBeenCalledOnce()
  })
})

describe('a switch', () => {
  test('is ticked at once, and reverts if the change is refused', async () => {
    let refuse = (): void => {}
    const change = vi.fn(() => new Promise<void>((resolve) => (refuse = resolve)))
    show(
      <Switch checked={false} onChange={change}>
        Mails
      </Switch>,
    )
    const box = field('Mails')
    box.click()
    expect(change).toHaveBeenCalledExactlyOnceWith(true)
    await until(() => expect(box.checked).toBe(true))
    refuse()
    await until(() => expect(box.checked).toBe(false))
  })
})

describe('a secret that is shown once', () => {
  test('can be closed only with the button that confirms that it was copied', () => {
    const close = vi.fn()
    show(
      <ShownOnce title="The key" lead="Keep it." onClose={close}>
        <CopyField label="Secret" value="s3cret" />
      </ShownOnce>,
    )
    expect(field('Secret').value).toBe('s3cret')
    document.querySelector('dialog')!.dispatchEvent(new Event('cancel', { cancelable: true }))
    expect(close).not.toHaveBeenCalled()
    expect([...document.querySelectorAll('dialog button')].map((one) => textOf(one))).toHaveLength(2)
    ;[...document.querySelectorAll<HTMLButtonElement>('dialog button')].at(-1)!.click()
    expect(close).toHaveBeenCalledOnce()
  })
})
