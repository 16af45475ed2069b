import type { MediaProblem } from '../../interface/generated/types.ts'
import type { outsideMediaWords as english } from './outside-media.words.ts'

const reasons: Record<MediaProblem, string> = {
  UNREACHABLE: 'não foi possível chegar ao endereço',
  REFUSED: 'o endereço não o entrega a este serviço',
  REDIRECTS: 'o endereço redireciona vezes demais, ou para algo que não é um endereço da web',
  PRIVATE: 'o endereço é privado',
  TOO_LARGE: 'é grande demais para ser lido antes de cada decisão',
  TOO_SLOW: 'chegou devagar demais',
  OFF: 'este serviço está configurado para não ler de endereços externos',
  CHANGED: 'na hora da publicação era outro',
}

/** These texts are about media at an address outside, and about posters. */
export const outsideMediaWords: typeof english = {
  checking: 'A imagem ou o vídeo está em um endereço fora deste serviço. Está sendo lido…',
  willBeFixed:
    'A imagem ou o vídeo está em um endereço fora deste serviço. A aprovação registra o que está lá agora: se na hora da publicação houver outra coisa, a publicação volta para aprovação.',
  fixed: 'A aprovação registrou o que está no endereço da imagem ou do vídeo. Nada mais é publicado de lá.',
  notFixed: (problem) =>
    `A imagem ou o vídeo não fica fixado: ${reasons[problem]}. Pode ser trocado no endereço depois da aprovação, e é publicado o que estiver lá. Para ter certeza, envie o arquivo.`,
  unknown:
    'A imagem ou o vídeo está em um endereço fora deste serviço e não pôde ser lido agora. Talvez a aprovação não o fixe.',
  changed:
    'Na hora da publicação, não estava mais no endereço a imagem ou o vídeo que foi aprovado. Olhe outra vez antes de decidir.',
  frame: 'Um quadro do vídeo',
  frameHint: 'A imagem no player é uma capa, que pode ser escolhida por quem envia o vídeo. Esta vem do próprio vídeo.',
}
