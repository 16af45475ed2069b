import type { LateCause, WaitReason } from '../../interface/post-waits.ts'
import type { words as english } from './waits.words.ts'

const reasons: Record<WaitReason, string> = {
  publisher_off: 'Nenhum processo deste servidor publica: avise quem o administra',
  organization_inactive: 'A organização não está ativa',
  token_unreadable: 'O servidor não consegue abrir o token de acesso do canal: avise quem o administra',
  rate_limit_app: 'A plataforma limita as chamadas do aplicativo',
  rate_limit_channel: 'A plataforma limita as chamadas desta página ou conta',
  posting_quota: 'A conta usou todas as publicações do dia',
  platform_unreachable: 'A plataforma não responde',
  platform_down: 'A plataforma está com um problema próprio',
  media_unreachable: 'Não é possível ler a imagem ou o vídeo no endereço',
  answer_lost: 'A resposta da plataforma se perdeu: a publicação é procurada no canal',
  same_text: 'Outra publicação com o mesmo texto está sendo publicada no canal',
  processing: 'A plataforma ainda processa a imagem ou o vídeo',
  interrupted: 'O servidor parou logo antes de publicar e tenta de novo',
  in_progress: 'Está sendo publicada agora',
  queue: 'Outras publicações estão na frente',
}

const causes: Record<LateCause, string> = {
  publisher_off: 'No horário dela, nenhum processo publicava',
  database_away: 'O servidor não conseguia acessar o banco de dados',
  clock_jumped: 'O relógio do servidor saltou, ou o servidor parou',
  queue: 'Outras publicações estavam na frente',
}

export const words: typeof english = {
  reasons,
  causes,
  late: (reason) => `Atrasada: ${reasons[reason]}`,
  nextTry: (time) => `Próxima tentativa: ${time}`,
}
