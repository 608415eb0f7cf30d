/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/cli/atomic_input.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void use(struct atomic_input *input)
{
    const char *path;
    json_t *text;
    assert(input->n_atoms > 0);
    for (int64_t a = 0; a < input->n_atoms; a++) {
        assert(input->atoms[a].ghost == (input->atoms[a].charge == 0));
        for (int k = 0; k < 3; k++)
            assert(isfinite(input->atoms[a].position[k]));
    }
    json_object_foreach(input->options, path, text)
    {
        assert(strchr(path, '.') && json_string_value(text));
    }
    assert(input->has_model == (atomic_input_method(input) != NULL));
    atomic_input_check_method(input, atomic_input_is_hartree_fock(input), "fuzz");
}

void fuzz_one(const char *text, size_t size)
{
    struct atomic_input input;
    if (atomic_input_parse(text, size, "fuzz", &input) == STATUS_OK)
        use(&input);
    else
        assert(!input.document && !input.atoms && !input.options);
    atomic_input_fini(&input);
}
