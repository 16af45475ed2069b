import { useState } from 'preact/hooks'
import type { Media } from '../../interface/generated/types.ts'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { pictureFacts } from '../posts/file-facts.ts'
import { Dialog } from '../ui.tsx'
import { library as words } from '../words.ts'
import { Library, type LibraryQuery, Thumbnail } from './library.tsx'

interface LibraryDialogProps {
  onChoose: (media: Media) => void
  onClose: () => void
}

/** A dialog to choose a file from the library. */
export default function LibraryDialog({ onChoose, onClose }: LibraryDialogProps) {
  const { id: organizationId } = useOrganization()
  const [query, setQuery] = useState<LibraryQuery>({})
  return (
    <Dialog title={words.chooseTitle} onClose={onClose}>
      <Library query={query} onQuery={(changes) => setQuery((before) => ({ ...before, ...changes }))}>
        {(media, name) => (
          <button type="button" class="button library-choice" onClick={() => onChoose(media)}>
            <Thumbnail media={media} />
            <strong dir="auto">{name}</strong>
            <span class="quiet small-text">{pictureFacts(media)}</span>
          </button>
        )}
      </Library>
      <a href={hrefOf(organizationId, 'media')} target="_blank" rel="noopener">
        {words.asPage}
      </a>
    </Dialog>
  )
}
