/* translations_lexicon.c: the words of the Spanish-English corpus. They were put together for this
 * project and are under its licence (MIT); translations.c makes the sentences.
 *
 * Invariant: adjectives that suit one kind of noun are neighbours in the list, at least five of
 * them, and so are verbs: then each noun has some combinations in training and some that are held
 * out. */
#include "data/corpora/translations_lexicon.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* clang-format off */
#define PEOPLE(m, ms, f, fs, em, ems, ef, efs) {PERSON, {{m, ms}, {f, fs}}, {{em, ems}, {ef, efs}}}
#define HE(kind, one, many, eone, emany)  {kind, {{one, many}, {0}}, {{eone, emany}, {0}}}
#define SHE(kind, one, many, eone, emany) {kind, {{0}, {one, many}}, {{0}, {eone, emany}}}

const Noun translations_nouns[] = {
    PEOPLE("estudiante", "estudiantes", "estudiante", "estudiantes", "student", "students", "student", "students"),
    PEOPLE("doctor", "doctores", "doctora", "doctoras", "doctor", "doctors", "doctor", "doctors"),
    PEOPLE("profesor", "profesores", "profesora", "profesoras", "teacher", "teachers", "teacher", "teachers"),
    PEOPLE("niño", "niños", "niña", "niñas", "boy", "boys", "girl", "girls"),
    PEOPLE("hombre", "hombres", "mujer", "mujeres", "man", "men", "woman", "women"),
    PEOPLE("amigo", "amigos", "amiga", "amigas", "friend", "friends", "friend", "friends"),
    PEOPLE("vecino", "vecinos", "vecina", "vecinas", "neighbour", "neighbours", "neighbour", "neighbours"),
    PEOPLE("artista", "artistas", "artista", "artistas", "artist", "artists", "artist", "artists"),
    PEOPLE("actor", "actores", "actriz", "actrices", "actor", "actors", "actress", "actresses"),
    PEOPLE("hermano", "hermanos", "hermana", "hermanas", "brother", "brothers", "sister", "sisters"),
    PEOPLE("cocinero", "cocineros", "cocinera", "cocineras", "cook", "cooks", "cook", "cooks"),
    HE(THING, "libro", "libros", "book", "books"),
    HE(THING, "coche", "coches", "car", "cars"),
    HE(THING, "reloj", "relojes", "clock", "clocks"),
    HE(THING, "sombrero", "sombreros", "hat", "hats"),
    HE(THING, "lápiz", "lápices", "pencil", "pencils"),
    HE(THING, "barco", "barcos", "boat", "boats"),
    HE(THING, "cuchillo", "cuchillos", "knife", "knives"),
    HE(THING, "mapa", "mapas", "map", "maps"),
    HE(THING, "espejo", "espejos", "mirror", "mirrors"),
    HE(THING, "paraguas", "paraguas", "umbrella", "umbrellas"),
    SHE(THING, "mesa", "mesas", "table", "tables"),
    SHE(THING, "silla", "sillas", "chair", "chairs"),
    SHE(THING, "camisa", "camisas", "shirt", "shirts"),
    SHE(THING, "llave", "llaves", "key", "keys"),
    SHE(THING, "caja", "cajas", "box", "boxes"),
    SHE(THING, "flor", "flores", "flower", "flowers"),
    SHE(THING, "manzana", "manzanas", "apple", "apples"),
    SHE(THING, "naranja", "naranjas", "orange", "oranges"),
    SHE(THING, "guitarra", "guitarras", "guitar", "guitars"),
    SHE(THING, "lámpara", "lámparas", "lamp", "lamps"),
    HE(PLACE, "parque", "parques", "park", "parks"),
    HE(PLACE, "jardín", "jardines", "garden", "gardens"),
    HE(PLACE, "puente", "puentes", "bridge", "bridges"),
    HE(PLACE, "mercado", "mercados", "market", "markets"),
    SHE(PLACE, "escuela", "escuelas", "school", "schools"),
    SHE(PLACE, "tienda", "tiendas", "shop", "shops"),
    SHE(PLACE, "iglesia", "iglesias", "church", "churches"),
    SHE(PLACE, "ciudad", "ciudades", "city", "cities"),
    SHE(PLACE, "isla", "islas", "island", "islands"),
    SHE(PLACE, "oficina", "oficinas", "office", "offices"),
};
const int translations_noun_count = COUNT(translations_nouns);

#define O_A(stem)      {{stem "o", stem "os"}, {stem "a", stem "as"}}
#define SAME(one, many) {{one, many}, {one, many}}

const Adjective translations_adjectives[] = {
    {PERSON, O_A("alt"), "tall"},
    {PERSON, SAME("joven", "jóvenes"), "young"},
    {PERSON, O_A("ric"), "rich"},
    {PERSON, SAME("amable", "amables"), "kind"},
    {PERSON, SAME("feliz", "felices"), "happy"},
    {PERSON, SAME("inteligente", "inteligentes"), "intelligent"},
    {PERSON, O_A("tranquil"), "calm"},
    {PERSON | PLACE, O_A("famos"), "famous"},
    {PERSON | THING | PLACE, O_A("viej"), "old"},
    {THING | PLACE, O_A("pequeñ"), "small"},
    {THING | PLACE, SAME("grande", "grandes"), "large"},
    {THING | PLACE, O_A("nuev"), "new"},
    {THING | PLACE, O_A("limpi"), "clean"},
    {THING | PLACE, SAME("interesante", "interesantes"), "interesting"},
    {THING, O_A("roj"), "red"},
    {THING, O_A("blanc"), "white"},
    {THING, O_A("negr"), "black"},
    {THING, SAME("azul", "azules"), "blue"},
    {THING, SAME("verde", "verdes"), "green"},
    {THING, O_A("car"), "expensive"},
    {THING, O_A("barat"), "cheap"},
    {THING, O_A("pesad"), "heavy"},
};
const int translations_adjective_count = COUNT(translations_adjectives);

const Verb translations_verbs[] = {
    {0, {"duermo", "duermes", "duerme", "dormimos", "dormís", "duermen"}, "sleep", "sleeps"},
    {0, {"trabajo", "trabajas", "trabaja", "trabajamos", "trabajáis", "trabajan"}, "work", "works"},
    {0, {"canto", "cantas", "canta", "cantamos", "cantáis", "cantan"}, "sing", "sings"},
    {0, {"bailo", "bailas", "baila", "bailamos", "bailáis", "bailan"}, "dance", "dances"},
    {0, {"vivo", "vives", "vive", "vivimos", "vivís", "viven"}, "live", "lives"},
    {0, {"corro", "corres", "corre", "corremos", "corréis", "corren"}, "run", "runs"},
    {PERSON, {"ayudo", "ayudas", "ayuda", "ayudamos", "ayudáis", "ayudan"}, "help", "helps"},
    {PERSON, {"llamo", "llamas", "llama", "llamamos", "llamáis", "llaman"}, "call", "calls"},
    {PERSON, {"conozco", "conoces", "conoce", "conocemos", "conocéis", "conocen"}, "know", "knows"},
    {PERSON, {"espero", "esperas", "espera", "esperamos", "esperáis", "esperan"}, "wait for", "waits for"},
    {PERSON | THING, {"busco", "buscas", "busca", "buscamos", "buscáis", "buscan"}, "look for", "looks for"},
    {PERSON | THING, {"veo", "ves", "ve", "vemos", "veis", "ven"}, "see", "sees"},
    {THING, {"compro", "compras", "compra", "compramos", "compráis", "compran"}, "buy", "buys"},
    {THING, {"vendo", "vendes", "vende", "vendemos", "vendéis", "venden"}, "sell", "sells"},
    {THING, {"tengo", "tienes", "tiene", "tenemos", "tenéis", "tienen"}, "have", "has"},
    {THING, {"quiero", "quieres", "quiere", "queremos", "queréis", "quieren"}, "want", "wants"},
    {THING, {"pinto", "pintas", "pinta", "pintamos", "pintáis", "pintan"}, "paint", "paints"},
};
const int translations_verb_count = COUNT(translations_verbs);

const Determiner translations_determiners[] = {
    {{{"un", "unos"}, {"una", "unas"}}, {"a", "some"}}, /* "an": where a vowel follows */
    {{{"el", "los"}, {"la", "las"}}, {"the", "the"}},
    {{{"mi", "mis"}, {"mi", "mis"}}, {"my", "my"}},
    {{{"nuestro", "nuestros"}, {"nuestra", "nuestras"}}, {"our", "our"}},
    {{{"este", "estos"}, {"esta", "estas"}}, {"this", "these"}},
    {{{0, "dos"}, {0, "dos"}}, {0, "two"}},
};
const int translations_determiner_count = COUNT(translations_determiners);

const Phrase translations_prepositions[] = {
    {"en", "in"}, {"cerca de", "near"}, {"delante de", "in front of"}, {"detrás de", "behind"},
};
const int translations_preposition_count = COUNT(translations_prepositions);

/* The first one is "not", which requires a "do" in English. */
const Phrase translations_adverbs[] = {
    {"no", "not"}, {"siempre", "always"}, {"nunca", "never"}, {"todavía", "still"},
};
const int translations_adverb_count = COUNT(translations_adverbs);
/* clang-format on */
