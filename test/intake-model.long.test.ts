import './intake-model.test.js'
