#!/bin/sh
# The example pretrained, on the small models of tests/golden:  sh tests/examples/pretrained.sh SOURCE PROGRAM
set -u
# shellcheck source=tests/examples/tools.sh
. "$1/tests/examples/tools.sh"
path=/nowhere # without gnuplot
golden=$(cd "$1" && pwd)/tests/golden/pretrained

# A model's folder with a vocabulary of its own: at most 23 words, as the smallest of them have.
with_words() {
    cp -r "$golden/$1" "$1"
    printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' the animal street it was too tired wide . good bad >"$1/vocab.txt"
}
with_words bert-words
with_words bert-bare
with_words distilbert-words
with_words distilbert-classes

attempt 'words at a mask' example words --model bert-words --text 'the animal was [MASK].' --text 'it was tired' --html
attempt 'a page of both texts' shows words/attention.html '"title":"the animal was [MASK]."' '"title":"it was tired"' '"q":['
spelt() {
    example upper --model bert-words --text 'The ANIMAL was TIRED' --html &&
        example typed --model bert-words --text 'The ANIMAL was TIRED' --html --as-typed &&
        shows upper/attention.html '"[CLS]","the","animal","was","tired","[SEP]"' &&
        shows typed/attention.html '"[CLS]","The","ANIMAL","was","TIRED","[SEP]"'
}
attempt 'tokens as the vocabulary spells them, or as typed' spelt
attempt 'with gradients of its loss at [MASK]' shows words/attention.html '"loss":"-log p of the likeliest word at [MASK], ' \
    '"gradients":['
attempt 'the five most probable' grep -q 'mask 1: .*, .*, .*, .*, ' words.txt
causes masked 2 'the street was [MASK].' --model bert-words --text 'the animal was [MASK].'
attempt 'it says what the model is' grep -q '^bert: 2 layers of ' words.txt
attempt 'similarity of the texts' grep -q '^ *1.000 .*the animal was' words.txt
attempt 'the picture of it has its script' test -s words/similarity.gp
attempt 'a bare model, in shards or not' example bare --model bert-bare --text 'the animal was tired, it was.' --word it
attempt 'the ranking of heads' grep -q 'layer  *[12], head ' bare.txt
for picture in grid head arcs rollout; do
    attempt "the picture attention-$picture has its script" test -s bare/attention-$picture.gp
done
attempt 'it claims no pictures without gnuplot' shows bare.txt 'scripts and tables (no pictures, since gnuplot is missing)'
no_format_named() { ! grep -q 'png\|svg\|pdf' bare.txt; }
attempt 'and names no format' no_format_named
# The sentence about the tired animal and the wide street is of the lecture's pair alone.
verdict() { sed -n '/^Of [0-9]* heads/p' "$1.txt" | grep -q 'the animal where it is tired'; }
no_verdict() { ! verdict "$1"; }
attempt 'the pair of the lecture' example lecture --model bert-words --text 'the animal street it was tired' \
    --text 'the animal street it was wide' --word it
attempt 'has a verdict on its heads' verdict lecture
attempt 'another word' example another --model bert-words --text 'the animal street it was tired' \
    --text 'the animal street it was wide' --word was
attempt 'has none' no_verdict another
attempt 'other texts' example other --model bert-words --text 'the animal street it was good' \
    --text 'the animal street it was bad' --word it
attempt 'have none' no_verdict other
attempt 'the picture of dL/dA' example pair --model bert-words --text 'it was tired' --text 'it was wide' --gradients
attempt 'of all heads, of the similarity of two texts' shows pair.txt 'L of dL/dA is minus the cosine similarity of both texts: '
attempt 'has its script' test -s pair/attention-grid-gradient.gp
attempt 'a label' example labelled --model distilbert-classes --text 'it was tired' --gradients
attempt 'is the loss of a classifier' shows labelled.txt 'L of dL/dA is -log p of the likeliest label, '
attempt 'a distilled one' example distilled --model distilbert-words --text 'it was tired'
attempt 'a step of it, op by op' example traced --model bert-words --text 'it was tired' --trace
attempt 'has attention in it' grep -q softmax traced.txt

attempt 'an encoder-decoder, from ids' example other-text --model "$golden/bart" --ids 5,7,3 --ids 1,2 --tokens 5 --html
attempt 'writes greedily and by beam search' grep -q '^  beam     [0-9 ]*[0-9]$' other-text.txt
attempt 'the page has the attention of both stacks and across' shows other-text/attention.html '"name":"encoder"' \
    '"name":"decoder"' '"name":"cross-attention"' '"gradients":[' '"title":"1,2"'
attempt 'the picture of the cross-attention has its script' test -s other-text/attention-cross.gp
refuses_words() { ! example refused --model "$golden/bart" --ids 5,7 --word it; }
attempt 'what would be ignored is refused' refuses_words
refuses_id() { ! example refused --model "$golden/bart" --ids 5,13; }
attempt 'an id beyond the vocabulary is refused' refuses_id
attempt 'a decoder, from ids' example ids --model "$golden/qwen3" --ids 5,7,3 --tokens 4

# Folders whose other files decide what is computed; the right values are those of transformers and sentence-transformers.
reports=$(cd "$1" && pwd)/tests/golden/reports
attempt 'a picture of whole numbers' example bright --model "$reports/deit-normalise" --image "$reports/deit-normalise/bright.npy"
attempt 'is normalised as preprocessor_config.json says' shows bright.txt 'bright.npy: LABEL_4, 83.4 %;'
attempt 'a dark one' example dark --model "$reports/deit-normalise" --image "$reports/deit-normalise/dark.npy"
attempt 'is not taken as normalised' shows dark.txt 'dark.npy: LABEL_1, 74.3 %;'
attempt 'sentences of a folder with modules.json' example pooled --model "$reports/pooling-cls" --ids 2,5,17,3 --ids 2,9,4,3
attempt 'are compared by their first tokens' shows pooled.txt ' 1.000  0.786   2,5,17,3' "the first token's, as modules.json says"
attempt 'a text with several end tokens' example ends --model "$reports/eos-list" --ids 5,17,3 --tokens 10
ended() { sed -n '/^--- greedy/{n;p;}' ends.txt | grep -qx '7 4'; }
attempt 'ends at the second of them' ended
attempt 'a classifier of one label' example one --model "$reports/one-label" --ids 5,17,3 --gradients
attempt 'gives a number and no probability' shows one.txt '5,17,3: LABEL_0 ' ', a logit' 'L of dL/dA is minus the logit of the only label'
attempt 'a text that is too long' example long --model "$reports/pooling-cls" --ids "$(seq -s, 1 19)" --ids 2,9
attempt 'is cut, and said to be' shows long.txt 'text 1: 19 tokens, cut to 16, the most that the model reads'
cp -r "$reports/pooling-cls" dense
printf '[{"type": "a.Transformer", "path": ""}, {"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]\n' >dense/modules.json
attempt 'a folder with a module that is not built' example dense-out --model dense --ids 2,5,17,3 --ids 2,9,4,3 --gradients
attempt 'has no similarity, and says why' shows dense-out.txt 'no similarity of the texts: ' 'a module Dense, which is not built'

reports_no_memory 'an encoder-decoder reports that memory is out' --model "$golden/t5" --ids 5,7 --tokens 3 --html
reports_no_memory 'no request for memory fails in silence' --model bert-words --text 'the animal was [MASK].' \
    --text 'it was tired' --word it --gradients --html

# An option that would change nothing is refused.
for option in --text=it --image=x.npy --word=it --gradients --tokens=2 --cut=1.1 --html --trace; do
    attempt "$option with --live" refuses 2 "${option%=*}: found --live as well; expected one of them" --live "$option"
done
attempt 'two texts go on together' example together --model "$golden/gpt2" --ids 5,7,3 --ids 1,2 --tokens 8 --no-repeat 1
no_token_twice() {
    sed -n '/^--- greedy/,/^--- temp/p' together.txt | grep -v -e '^---' -e '^$' >lines.txt
    [ "$(wc -l <lines.txt)" -eq 2 ] && ! tr ' ' '\n' <lines.txt | sort | uniq -c | grep -q ' [3-9] '
}
attempt 'and no token is written twice' no_token_twice
attempt 'a stop ends each text' example stopped --model "$golden/gpt2" --ids 5,7,3 --tokens 8 --stop ' '
attempt 'after its first token, without a beam search' shows stopped.txt '--- top-p 0.9'
no_beam() { ! grep -q '^--- beam' stopped.txt; }
attempt 'which would not stop' no_beam
attempt 'a stop on a page' refuses 2 'found --html as well' --model "$golden/gpt2" --ids 5 --stop x --html
attempt 'rules of an encoder' refuses 2 'that writes no text; expected a decoder' --model bert-words --no-repeat 2
attempt 'a stop of two searches' refuses 2 'stop: found a model that reads' --model "$golden/bart" --ids 5,7 --stop x
attempt 'without a model it says how to get one' refuses 2 './gradus data minilm models/minilm'
attempt 'a folder that is none' refuses 1 'nowhere/config.json: cannot open' --model nowhere
attempt 'a model without a tokeniser' refuses 1 'found no tokenizer.json, spiece.model' --model "$golden/gpt2"
attempt 'a picture that is missing' refuses 2 'expected a .npy file of shape (3, 8, 8)' --model "$golden/vit-classes"
attempt 'a layer that is not there' refuses 2 'the model has 2 layers' --model bert-words --layer 3

done_testing
