import { useRef } from 'preact/hooks'
import { saveFile } from '../audience/save-file.ts'
import { ShownOnce } from '../forms.tsx'
import { announce, Button, Field } from '../ui.tsx'
import { common } from '../words.ts'
import { words } from './words.ts'

/** Shows the recovery codes, which the service sends only once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const box = useRef<HTMLTextAreaElement>(null)
  const copy = async (): Promise<void> => {
    box.current?.select()
    try {
      await navigator.clipboard.writeText(text)
      announce(common.copied)
    } catch {
      // Over plain http a page may not; what is selected is copied with the keyboard.
      announce(common.copyYourself)
    }
  }
  return (
    <ShownOnce title={words.codesTitle} lead={words.codesReady} onClose={onClose}>
      <Field label={words.recovery}>
        {(attributes) => (
          <textarea {...attributes} ref={box} class="code" readOnly rows={codes.length} value={text} autofocus />
        )}
      </Field>
      <div class="actions">
        <Button onClick={() => void copy()}>{words.copyCodes}</Button>
        <Button onClick={() => saveFile(words.codesFile, `${words.codesHead}\n\n${text}\n`, 'text/plain')}>
          {words.downloadCodes}
        </Button>
      </div>
    </ShownOnce>
  )
}
