import { useRef } from 'preact/hooks'
import { saveFile } from '../audience/save-file.ts'
import { copyFrom } from '../forms.tsx'
import { Button, Field } from '../ui.tsx'
import { common, factors as words } from '../words.ts'

/** The recovery codes, which the service sends only once. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  const text = codes.join('\n')
  const box = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      <Field label={words.recovery}>
        {(attributes) => (
          <textarea {...attributes} ref={box} class="code" readOnly rows={codes.length} value={text} autofocus />
        )}
      </Field>
      <div class="actions">
        <Button onClick={() => void copyFrom(box.current!)}>{common.copy}</Button>
        <Button onClick={() => saveFile(words.codesFile, `${words.codesHead}\n\n${text}\n`, 'text/plain')}>
          {words.downloadCodes}
        </Button>
      </div>
    </>
  )
}
